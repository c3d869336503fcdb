"""Alcohol."""

from brewhouse.gravity import drop

FACTOR = 105.0


def strength(original, final):
    """Alcohol in percent."""
    return drop(original, final) * FACTOR / 1000


def alcohol_ml(litres, original, final):
    """Pure alcohol in a quantity of beer, in whole millilitres."""
    return round(litres * 10 * strength(original, final))
