"""Paid time and pay."""

from rota.shift import people


def paid_minutes(shift):
    """Minutes of a shift that are paid: the time between start and end less the break."""
    return shift.end - shift.start - shift.pause


def minutes_of(who, shifts):
    """Paid minutes of one person over all shifts."""
    return sum(paid_minutes(shift) for shift in shifts if shift.who == who)


def pay_list(shifts, cents_an_hour):
    """Cents for each person."""
    return {who: minutes_of(who, shifts) * cents_an_hour // 60 for who in people(shifts)}
