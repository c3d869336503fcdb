"""Sums and numbers of invoices."""

from atelier.invoice import Invoice, next_number
from atelier.lines import Line


def test_three_lamps():
    invoice = Invoice("A-0001", (Line("lamp", 25_000, 3),))
    assert invoice.total() == 75_000


def test_single_pieces():
    invoice = Invoice("A-0002", (Line("shade", 4_000), Line("cable", 1_250)))
    assert invoice.total() == 5_250


def test_numbers_follow_each_other():
    assert next_number("A-0099") == "A-0100"
