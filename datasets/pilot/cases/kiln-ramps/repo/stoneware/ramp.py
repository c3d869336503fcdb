"""Ramps as they stand on a chart."""

from dataclasses import dataclass

from stoneware.cones import bends_at


@dataclass(frozen=True)
class Ramp:
    """Fahrenheit throughout: degrees an hour, the temperature to reach, and minutes to stay there."""

    an_hour: int
    target: int
    hold_minutes: int


def read_ramp(line: str) -> Ramp:
    """'180 to cone 06, hold 10' or '108 to 2100, hold 0'."""
    speed, rest = line.split(" to ")
    target, hold = rest.split(", hold ")
    reached = bends_at(target.removeprefix("cone ")) if target.startswith("cone ") else int(target)
    return Ramp(int(speed), reached, int(hold))
