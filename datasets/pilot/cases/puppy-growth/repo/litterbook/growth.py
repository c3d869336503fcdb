"""How well they grow."""


def gain(puppy):
    """Grams between the first weighing and the latest."""
    weights = puppy.weights()
    return weights[-1] - weights[0]


def average_gain(puppies):
    """Grams gained by a puppy of the litter, on average and to a tenth."""
    return round(sum(gain(puppy) for puppy in puppies) / len(puppies), 1)


def slowest(puppies):
    """Name of the puppy that gained least; the first of several."""
    return min(puppies, key=gain).name
