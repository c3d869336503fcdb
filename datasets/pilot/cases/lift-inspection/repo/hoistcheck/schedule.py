"""Days of inspection."""

from collections.abc import Iterator
from datetime import date
from itertools import dropwhile, islice

from hoistcheck.months import add_months


def inspection_days(in_service: date, every_months: int) -> Iterator[date]:
    """All inspections of a lift, without end."""
    if every_months < 1:
        raise ValueError("there is at least a month between two inspections")
    day = in_service
    while True:
        day = add_months(day, every_months)
        yield day


def inspections(in_service: date, every_months: int, count: int) -> list[date]:
    """The first inspections of a lift."""
    return list(islice(inspection_days(in_service, every_months), count))


def next_inspection(in_service: date, every_months: int, today: date) -> date:
    """The first inspection that does not lie before today."""
    return next(dropwhile(lambda day: day < today, inspection_days(in_service, every_months)))
