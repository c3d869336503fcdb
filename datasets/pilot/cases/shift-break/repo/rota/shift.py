"""Shifts as they are imported."""


class Shift:
    """Somebody's working time on one day."""

    def __init__(self, who, start, end, pause=None):
        if end < start:
            raise ValueError("a shift ends after it starts")
        self.who = who
        self.start = start
        self.end = end
        self.pause = pause  # minutes of unpaid break


def people(shifts):
    """Everybody who worked, sorted by name."""
    return sorted({shift.who for shift in shifts})
