"""Speed and cadence."""

from drivetrain.bike import Bike
from drivetrain.ratios import ratio

MM_A_KM = 1_000_000


def kmh(bike: Bike, ring: int, sprocket: int, turns: float) -> float:
    """Kilometres an hour at so many turns of the pedals a minute, to a tenth."""
    return round(ratio(sprocket, ring) * bike.wheel_mm * turns * 60 / MM_A_KM, 1)


def turns_a_minute(bike: Bike, ring: int, sprocket: int, speed_kmh: float) -> float:
    """Turns of the pedals a minute that keep a speed, to a tenth."""
    mm_a_minute = speed_kmh * MM_A_KM / 60
    return round(mm_a_minute / (ratio(sprocket, ring) * bike.wheel_mm), 1)
