"""Months of the log book."""

from carclub.economy import miles_per_gallon
from carclub.fills import litres_burnt, miles_driven
from carclub.units import gallons


def month(fills):
    """One month in a line."""
    miles, litres = miles_driven(fills), litres_burnt(fills)
    return f"{miles} miles on {gallons(litres):.2f} gallons, {miles_per_gallon(miles, litres)} mpg"
