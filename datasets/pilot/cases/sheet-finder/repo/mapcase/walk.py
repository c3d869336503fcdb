"""Walks: lists of (east, north)."""

from mapcase.finder import is_covered, sheets_for


def sheets_for_walk(series, places):
    """Names of the sheets that a walk touches, each once, in the order in which they are needed."""
    needed = []
    for east, north in places:
        for name in sheets_for(series, east, north):
            if name not in needed:
                needed.append(name)
    return needed


def off_the_map(series, places):
    """Places of a walk that no sheet shows."""
    return [(east, north) for east, north in places if not is_covered(series, east, north)]
