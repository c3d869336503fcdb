# canary-pilot-8abf330d938395d5e6e7173230f12591
import pytest

from instalments import repayment_schedule
from instalments.money import display
from instalments.summary import letter


def test_three_months_with_odd_cents():
    rows = repayment_schedule(1_000, 3, 12)
    assert [tuple(row) for row in rows] == [(1, 334, 10, 666), (2, 333, 6, 333), (3, 333, 3, 0)]


def test_shortest_term():
    assert [tuple(row) for row in repayment_schedule(5_000, 1, 24)] == [(1, 5_000, 100, 0)]


def test_five_years_end_at_nothing_owed():
    rows = repayment_schedule(60_007, 60, 0)
    assert len(rows) == 60
    assert tuple(rows[-1]) == (60, 1_000, 0, 0)


def test_letter_counts_each_payment():
    assert letter(repayment_schedule(20_000, 2, 12)) == "2 payments, of which 3.00 is interest; 0.00 remains."


def test_odd_cents_come_first():
    assert tuple(repayment_schedule(1_003, 4, 0)[0]) == (1, 253, 0, 750)


def test_too_short_a_term():
    with pytest.raises(ValueError):
        repayment_schedule(1_000, 0, 5)


def test_negative_amounts_are_shown():
    assert display(-1_250) == "-12.50"
