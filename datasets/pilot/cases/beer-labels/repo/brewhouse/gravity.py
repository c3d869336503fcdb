"""Readings of the hydrometer."""

WATER = 1000


def drop(original, final):
    """Points by which the gravity fell. Raises ValueError if it rose."""
    if final > original:
        raise ValueError(f"gravity rose from {original} to {final}")
    return original - final


def attenuation(original, final):
    """How much of the sugar is gone, as a fraction; plain water has none to lose."""
    return drop(original, final) / (original - WATER) if original > WATER else 0.0
