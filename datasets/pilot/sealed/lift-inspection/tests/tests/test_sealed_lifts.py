# canary-pilot-7f2bbaa38482e6ffb27629d4f24710de
from datetime import date

import pytest

from hoistcheck.register import agenda
from hoistcheck.schedule import inspections, next_inspection


def isoformats(in_service, every_months, count):
    return [day.isoformat() for day in inspections(in_service, every_months, count)]


def test_back_on_the_last_day_after_a_short_month():
    assert inspections(date(2031, 1, 31), 1, 5) == [
        date(2031, 2, 28),
        date(2031, 3, 31),
        date(2031, 4, 30),
        date(2031, 5, 31),
        date(2031, 6, 30),
    ]


def test_thirtieth_of_the_month():
    found = isoformats(date(2027, 11, 30), 3, 4)
    assert found == ["2028-02-29", "2028-05-30", "2028-08-30", "2028-11-30"]


def test_put_into_service_on_a_leap_day():
    found = isoformats(date(2028, 2, 29), 12, 4)
    assert found == ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]


def test_next_one_years_later():
    assert next_inspection(date(2029, 8, 31), 6, date(2034, 3, 1)) == date(2034, 8, 31)
    assert next_inspection(date(2030, 12, 31), 2, date(2032, 2, 29)) == date(2032, 2, 29)


def test_agenda_of_three_places():
    lines = ["mill; 2030-10-31; 4", "school; 2030-12-01; 3", "depot; 2031-01-29; 1"]
    assert agenda(lines, date(2031, 2, 2)) == ["2031-02-28 depot", "2031-02-28 mill", "2031-03-01 school"]


def test_across_the_turn_of_the_year():
    assert isoformats(date(2030, 9, 17), 5, 3) == ["2031-02-17", "2031-07-17", "2031-12-17"]


def test_due_today():
    days = [next_inspection(date(2030, 4, 15), 12, date(2033, 4, day)) for day in (14, 15, 16)]
    assert days == [date(2033, 4, 15), date(2033, 4, 15), date(2034, 4, 15)]


def test_no_time_between():
    with pytest.raises(ValueError):
        inspections(date(2030, 4, 15), 0, 1)
