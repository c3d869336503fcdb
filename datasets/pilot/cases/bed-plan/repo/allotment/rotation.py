"""From one year to the next."""

from allotment.bed import Bed


def next_year(bed, followers):
    """The plan for the following year; `followers` maps a crop to the one that comes after it."""
    plan = Bed(bed.rows, bed.places)
    plan.squares = bed.squares[:]
    for squares in plan.squares:
        for index, crop in enumerate(squares):
            squares[index] = followers.get(crop, crop)
    return plan


def years(bed, followers, count):
    """Drawings of this year and of the years after it, `count` in all."""
    drawings = []
    for _ in range(count):
        drawings.append(bed.draw())
        bed = next_year(bed, followers)
    return drawings
