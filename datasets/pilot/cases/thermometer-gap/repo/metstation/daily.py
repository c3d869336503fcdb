"""Figures of one day; a day is a list of (hour, temperature)."""


def mean(day):
    """The mean temperature; None if there is no temperature."""
    total = 0.0
    count = 0
    for _, celsius in day:
        total += celsius
        count += 1
    return total / count if count else None


def warmest(day):
    """The hour in which it was warmest, the first of several; None if there is no temperature."""
    known = [(celsius, -hour) for hour, celsius in day if celsius is not None]
    return -max(known)[1] if known else None


def lost(day):
    """How many hours have no temperature."""
    return sum(1 for _, celsius in day if celsius is None)
