"""Forecasts."""


def day_wh(roof, sun_hours):
    """Watt hours of a day with so many hours of full sun."""
    return round(roof.peak_watts * sun_hours)


def house_wh(roofs, sun_hours):
    """Watt hours of all roofs of a house on one day; sun hours are given for each side."""
    return sum(day_wh(roof, sun_hours[roof.side]) for roof in roofs)


def month_kwh(roof, days):
    """Kilowatt hours of a month, to a tenth; `days` are its hours of full sun, day by day."""
    return round(sum(day_wh(roof, hours) for hours in days) / 1000, 1)
