"""Bikes."""

from typing import Sequence


class Bike:
    """What matters of a bike here: teeth in front, teeth behind, and how far the wheel rolls in one turn."""

    def __init__(self, rings: Sequence[int], sprockets: Sequence[int], wheel_mm: int) -> None:
        if not rings or not sprockets:
            raise ValueError("a bike without a chain has no gears")
        self.rings = sorted(rings)
        self.sprockets = sorted(sprockets)
        self.wheel_mm = wheel_mm

    def gears(self) -> int:
        """How many combinations there are."""
        return len(self.rings) * len(self.sprockets)
