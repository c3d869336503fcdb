"""Checks for schedules and for the way amounts are shown."""

from instalments import repayment_schedule
from instalments.money import display


class TestSchedule:
    def test_numbers_of_a_year(self):
        rows = repayment_schedule(120_000, 12, 6)
        assert [row.number for row in rows] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

    def test_interest_of_first_month(self):
        rows = repayment_schedule(120_000, 12, 6)
        assert rows[0].interest == 600


class TestMoney:
    def test_cents_are_padded(self):
        assert display(100_005) == "1000.05"
