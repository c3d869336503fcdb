"""Tempos."""

MINUTE_MS = 60_000


def beat_ms(tempo):
    """Length of one beat, to the nearest millisecond.

    :raises ValueError: unless the tempo is positive
    """
    if tempo <= 0:
        raise ValueError("a tempo is positive")
    return round(MINUTE_MS / tempo)


def display(tempo):
    """What the box on stage displays."""
    return f"{tempo} bpm ({beat_ms(tempo)} ms)"
