"""How many plants to buy."""

from allotment.bed import EMPTY


def plants(bed):
    """Number of places for each crop of a bed, by name."""
    numbers = {}
    for row in bed.squares:
        for crop in row:
            if crop != EMPTY:
                numbers[crop] = numbers.get(crop, 0) + 1
    return dict(sorted(numbers.items()))
