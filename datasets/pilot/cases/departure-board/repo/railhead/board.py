"""What hangs above the platform."""

from railhead.clock import hhmm

LINES = 4


def board(timetable, station, now):
    """The next departures, a line for each, from the present minute on."""
    coming = [(minute, train) for minute, train in timetable.stops_at(station) if minute >= now]
    return [f"{hhmm(minute)} {train}" for minute, train in coming[:LINES]]


def last_train(timetable, station):
    """The last departure of the day, or a dash."""
    departures = timetable.stops_at(station)
    if not departures:
        return "-"
    minute, train = departures[-1]
    return f"{hhmm(minute)} {train}"
