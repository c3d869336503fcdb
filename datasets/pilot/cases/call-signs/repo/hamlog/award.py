"""Counting for awards."""

from hamlog.country import continent, country


def countries(calls):
    """Countries that were worked, each once, in the order of the log; unknown ones are left out."""
    return [name for name in dict.fromkeys(country(call) for call in calls) if name]


def points(calls, home):
    """One point for each country on one's own continent, three for any other."""
    first = {}
    for call in calls:
        first.setdefault(country(call), continent(call))
    return sum(1 if where == home else 3 for name, where in first.items() if name)
