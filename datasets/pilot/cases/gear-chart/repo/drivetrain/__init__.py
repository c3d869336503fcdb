"""Gears of a bicycle."""

from drivetrain.bike import Bike

__all__ = ["Bike"]
