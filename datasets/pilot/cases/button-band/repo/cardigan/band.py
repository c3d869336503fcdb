"""Button bands."""


def places(length, buttons, margin):
    """Where the buttons go. Raises ValueError for a band that cannot have them."""
    if buttons < 2:
        raise ValueError("a band has two buttons at least")
    free = length - 2 * margin
    if free <= 0:
        raise ValueError("there is nothing between the margins")
    step = free / (buttons + 1)
    return [round(margin + number * step) for number in range(buttons)]


def gaps(length, buttons, margin):
    """Distances from each button to the next."""
    found = places(length, buttons, margin)
    return [upper - lower for lower, upper in zip(found, found[1:])]
