"""What is written down at the pump."""

from typing import NamedTuple


class Fill(NamedTuple):
    """The odometer in miles, and the litres that went in."""

    odometer: int
    litres: float


def miles_driven(fills):
    """Miles between the first fill and the last."""
    return fills[-1].odometer - fills[0].odometer


def litres_burnt(fills):
    """Litres between the first fill and the last: what the first one brought was burnt before."""
    return sum(fill.litres for fill in fills[1:])
