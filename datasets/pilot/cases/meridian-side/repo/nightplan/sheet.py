"""The sheet that hangs in the dome."""

from nightplan.dial import reading
from nightplan.sky import hour_angle, side, wait


def entry(name, right_ascension, sidereal):
    """One star on the sheet."""
    angle = hour_angle(sidereal, right_ascension)
    transit = reading(wait(sidereal, right_ascension))
    return f"{name}: {angle:+d} {side(sidereal, right_ascension)}, transit in {transit}"


def in_order(stars, sidereal):
    """Names of the stars, the westernmost first because it sets first; `stars` maps names to right ascensions."""
    return sorted(stars, key=lambda name: -hour_angle(sidereal, stars[name]))
