"""What it is worth."""

from rooftop.forecast import month_kwh


def saved(roof, days, cents_a_kwh):
    """Cents that a month saves, if everything is used in the house."""
    return round(month_kwh(roof, days) * cents_a_kwh)


def months_to_pay(price_cents, roof, days, cents_a_kwh):
    """Months like this one until the panels have paid for themselves; ValueError if they never will."""
    each = saved(roof, days, cents_a_kwh)
    if each <= 0:
        raise ValueError("panels without a yield are never paid")
    return -(-price_cents // each)
