"""Moments of clicks."""

from metronome.tempo import beat_ms


def clicks(tempo, beats, start=0):
    """Milliseconds of each click of a section that begins at `start`."""
    step = beat_ms(tempo)
    return [start + number * step for number in range(beats)]
