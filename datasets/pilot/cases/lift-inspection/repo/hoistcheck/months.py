"""Reckoning in months."""

from datetime import date


def add_months(day: date, months: int) -> date:
    """The day so many months later."""
    years, month = divmod(day.month - 1 + months, 12)
    return date(day.year + years, month + 1, day.day)


def months_between(first: date, second: date) -> int:
    """Whole calendar months from the month of the first day to that of the second."""
    return (second.year - first.year) * 12 + second.month - first.month
