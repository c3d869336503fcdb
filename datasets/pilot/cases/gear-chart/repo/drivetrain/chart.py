"""The chart that is taped to the top tube."""

from drivetrain.bike import Bike
from drivetrain.ratios import metres_a_turn


def chart(bike: Bike) -> dict[int, list[float]]:
    """Metres to a turn: for each ring a row, along it the sprockets from the smallest on."""
    return {ring: [metres_a_turn(cog, ring, bike.wheel_mm) for cog in bike.sprockets] for ring in bike.rings}


def longest(bike: Bike) -> float:
    """The hardest gear."""
    return max(max(row) for row in chart(bike).values())


def shortest(bike: Bike) -> float:
    """The easiest gear."""
    return min(min(row) for row in chart(bike).values())
