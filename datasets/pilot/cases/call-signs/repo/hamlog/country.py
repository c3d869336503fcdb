"""From a call to a country."""

from hamlog.table import prefixes


def deciding(call):
    """The part of a call that tells the country: what stands before the stroke if that is a prefix."""
    before, stroke, after = call.strip().upper().partition("/")
    if not stroke or len(after) < 2:
        return before
    return before if len(before) < len(after) else after


def found(call):
    """The row of the table for a call, or None."""
    part = deciding(call)
    for row in prefixes():
        if part.startswith(row[0]):
            return row
    return None


def country(call):
    """The country of a station, or None."""
    row = found(call)
    return row[1] if row else None


def continent(call):
    """The continent of a station, or None."""
    row = found(call)
    return row[2] if row else None
