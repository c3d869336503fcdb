"""The line as a whole."""

from cidery.station import capacity


def line_rate(stations):
    """Bottles that leave the line in an hour; ValueError if there is no station."""
    if not stations:
        raise ValueError("a line needs a station")
    return max(capacity(station) for station in stations)


def load_percent(stations):
    """How busy each station is while the line runs, in percent and to a tenth."""
    rate = line_rate(stations)
    return {station.name: round(100 * rate / capacity(station), 1) for station in stations}
