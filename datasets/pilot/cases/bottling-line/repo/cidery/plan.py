"""Plans for a day."""

from cidery.line import line_rate


def minutes_for(bottles, stations):
    """Minutes until the last bottle is out; a minute that has begun counts."""
    whole, rest = divmod(bottles * 60, line_rate(stations))
    return whole + 1 if rest else whole


def clock(minutes):
    """Minutes since midnight as hh:mm."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def done_at(start, bottles, stations):
    """The time on the clock when an order is done that was begun `start` minutes after midnight."""
    return clock(start + minutes_for(bottles, stations))
