"""The form that a fitter fills in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Roof:
    """Panels on one side of a roof, and what of their power gets lost on the way, in percent."""

    side: str
    peak_watts: int
    loss_percent: float = 0.0


def read_form(line):
    """'south 4000 W 15 %' as a Roof."""
    side, watts, _, loss, _ = line.split()
    return Roof(side, int(watts), float(loss))
