"""Pumps sell litres, members think in gallons."""

LITRES_A_GALLON = 3.785
KM_A_MILE = 1.609


def gallons(litres):
    """Litres as gallons."""
    return litres / LITRES_A_GALLON


def kilometres(miles):
    """Miles as kilometres."""
    return miles * KM_A_MILE
