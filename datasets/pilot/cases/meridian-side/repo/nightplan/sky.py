"""Where a star stands at a given sidereal time."""

from nightplan.dial import DAY

HALF = DAY // 2


def hour_angle(sidereal, right_ascension):
    """Minutes since a star went through the meridian, negative before it does."""
    return (right_ascension - sidereal + HALF) % DAY - HALF


def side(sidereal, right_ascension):
    """Where the telescope has to point: east, west, or at the meridian."""
    angle = hour_angle(sidereal, right_ascension)
    if angle == 0:
        return "meridian"
    return "west" if angle > 0 else "east"


def wait(sidereal, right_ascension):
    """Minutes until the next transit; none for a star that is right there."""
    return -hour_angle(sidereal, right_ascension) % DAY
