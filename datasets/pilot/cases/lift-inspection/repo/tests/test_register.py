from datetime import date

from hoistcheck.register import days_overdue, read_lift


def test_reading_a_line():
    lift = read_lift("town hall; 2030-04-15; 12")
    assert (lift.place, lift.in_service, lift.every_months) == ("town hall", date(2030, 4, 15), 12)


def test_days_overdue():
    assert [days_overdue(date(2030, 4, 15), date(2030, month, 20)) for month in (3, 4, 5)] == [0, 5, 35]
