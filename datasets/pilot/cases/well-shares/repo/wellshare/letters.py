"""Letters to the houses."""

from wellshare.split import yearly


def amount(cents):
    """1234567 cents as 12 345.67."""
    whole, rest = divmod(cents, 100)
    return f"{whole:,}".replace(",", " ") + f".{rest:02d}"


def letters(bills, houses):
    """A line for each house, in the order in which they are entered."""
    owed = yearly(bills, houses)
    return [f"{house.name} ({house.shares}): {amount(owed[house.name])}" for house in houses]
