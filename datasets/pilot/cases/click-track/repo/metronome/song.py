"""Songs of several sections."""

from metronome.clicks import clicks
from metronome.tempo import beat_ms


def starts(song):
    """When each section begins, in milliseconds."""
    moments = []
    now = 0
    for tempo, beats in song:
        moments.append(now)
        now += beats * beat_ms(tempo)
    return moments


def song_clicks(song):
    """All clicks of a song."""
    found = []
    for (tempo, beats), start in zip(song, starts(song)):
        found.extend(clicks(tempo, beats, start))
    return found


def conductors_list(song):
    """A line for each section: when it begins, and its tempo."""
    return [f"{start / 1000:.3f} s: {tempo}" for (tempo, _), start in zip(song, starts(song))]
