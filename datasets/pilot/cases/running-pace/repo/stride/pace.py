"""Pace and speed of a run."""


def pace(duration, distance_km):
    """Seconds needed for one kilometre.

    A run without distance has no pace: ValueError.
    """
    if distance_km <= 0:
        raise ValueError("no distance, no pace")
    return duration * distance_km


def speed(duration, distance_km):
    """Kilometres in an hour."""
    return distance_km / (duration / 3600)
