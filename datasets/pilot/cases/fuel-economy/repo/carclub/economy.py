"""How far on how much."""

from carclub.units import LITRES_A_GALLON, gallons, kilometres


def miles_per_gallon(miles, litres):
    """Miles to the gallon, to a tenth."""
    return round(miles / gallons(litres), 1)


def litres_per_100_km(miles, litres):
    """The same the metric way round, to a tenth."""
    return round(100 * litres / kilometres(miles), 1)


def gallon_price(pence_a_litre):
    """Pence for a gallon, to a tenth, from the price that the pump shows."""
    return round(pence_a_litre * LITRES_A_GALLON, 1)
