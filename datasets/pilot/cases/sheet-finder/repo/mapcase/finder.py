"""Looking for places."""

from mapcase.sheet import shows


def sheets_for(series, east, north):
    """Names of all sheets with that place, in the order of the series."""
    return [sheet.name for sheet in series if shows(sheet, east, north)]


def is_covered(series, east, north):
    """Whether there is a sheet with that place."""
    return bool(sheets_for(series, east, north))
