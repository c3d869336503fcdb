"""After the firing."""

from stoneware.units import to_celsius

OPEN_BELOW_FAHRENHEIT = 212
FALL_FAHRENHEIT = 135


def hours_until_open(reached_celsius: float) -> float:
    """Hours, to a tenth, until a kiln that reached this temperature may be opened: it falls by 135 F an hour."""
    above = reached_celsius - to_celsius(OPEN_BELOW_FAHRENHEIT)
    return round(max(0.0, above) / to_celsius(FALL_FAHRENHEIT), 1)
