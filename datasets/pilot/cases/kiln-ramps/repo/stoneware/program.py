"""What is typed into the kiln."""

from stoneware.ramp import read_ramp
from stoneware.units import to_celsius

ROOM_CELSIUS = 20


def segment(line: str) -> tuple[int, int, int]:
    """One ramp for the kiln: degrees Celsius an hour, target, minutes to stay."""
    ramp = read_ramp(line)
    return round(to_celsius(ramp.an_hour)), round(to_celsius(ramp.target)), ramp.hold_minutes


def minutes(lines: list[str]) -> int:
    """Minutes that the kiln needs for a chart, from a cold start."""
    now, total = ROOM_CELSIUS, 0
    for line in lines:
        an_hour, target, hold = segment(line)
        total += abs(target - now) * 60 / an_hour + hold
        now = target
    return round(total)
