from passbook.entry import Entry, read_entry
from passbook.ledger import running_balances


def test_two_payments_in():
    entries = [Entry("2031-01-05", "fee Ada", 2000), Entry("2031-01-06", "fee Bo", 550)]
    assert running_balances(entries) == [2000, 2550]


def test_no_entries_no_balances():
    assert running_balances([], opening=300) == []


def test_reads_an_entry():
    entry = read_entry("2031-04-02 | rent | -120.00")
    assert (entry.day, entry.memo, entry.amount) == ("2031-04-02", "rent", -12000)
