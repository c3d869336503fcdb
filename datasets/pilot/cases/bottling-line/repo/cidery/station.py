"""Stations of a bottling line."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Station:
    """Machines of one kind, and the bottles that one of them takes in an hour."""

    name: str
    machines: int
    bottles_an_hour: int


def capacity(station):
    """Bottles that all machines of a station can take in an hour."""
    return station.machines * station.bottles_an_hour
