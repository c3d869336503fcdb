"""For people who change trains."""

CHANGE_MINUTES = 5


def connections(timetable, station, arrival, patience=60):
    """Trains that can be reached after an arrival, without waiting for longer than one is ready to."""
    earliest, latest = arrival + CHANGE_MINUTES, arrival + patience
    return [train for minute, train in timetable.stops_at(station) if earliest <= minute <= latest]


def wait(timetable, station, arrival):
    """Minutes until the first train that can be reached; None if there is none today."""
    reachable = [minute for minute, _ in timetable.stops_at(station) if minute >= arrival + CHANGE_MINUTES]
    return reachable[0] - arrival if reachable else None
