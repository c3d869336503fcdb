"""Lines for the notice board."""

from metstation.daily import lost, mean, warmest


def degrees(celsius):
    """One decimal, or a dash."""
    return "-" if celsius is None else f"{celsius:.1f}"


def summary(name, day):
    """Mean, warmest hour, and how many hours were lost if any were."""
    line = f"{name}: mean {degrees(mean(day))}, warmest at {warmest(day)}"
    return f"{line} ({lost(day)} lost)" if lost(day) else line


def coldest_day(days):
    """The name of the day with the lowest mean; days without a temperature do not count."""
    means = {name: mean(day) for name, day in days.items()}
    known = {name: value for name, value in means.items() if value is not None}
    return min(known, key=lambda name: known[name]) if known else None
