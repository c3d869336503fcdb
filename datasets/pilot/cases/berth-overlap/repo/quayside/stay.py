"""Stays at a berth."""

from typing import NamedTuple


class Stay(NamedTuple):
    """A vessel, the hour in which it arrives, the hour in which it leaves."""

    vessel: str
    arrives: int
    leaves: int


def parse_stay(text):
    """'ferry 8-12' is Stay('ferry', 8, 12)."""
    vessel, hours = text.rsplit(" ", 1)
    arrives, leaves = hours.split("-")
    return Stay(vessel, int(arrives), int(leaves))
