# canary-pilot-34a80d5ef2c9cafe960687952ce47e32
from passbook.entry import Entry, read_entry
from passbook.ledger import closing_balance, first_overdraft, running_balances
from passbook.statement import statement

YEAR = [
    Entry("d1", "grant", 50_000),
    Entry("d2", "saw", -12_999),
    Entry("d3", "rent", -40_000),
    Entry("d4", "gift", 4_000),
]


def test_money_in_and_out():
    assert running_balances(YEAR) == [50_000, 37_001, -2_999, 1_001]


def test_an_opening_balance_is_carried():
    assert running_balances(YEAR, opening=7_500) == [57_500, 44_501, 4_501, 8_501]
    assert closing_balance(YEAR[:2], opening=-1) == 37_000


def test_the_day_of_the_overdraft():
    assert first_overdraft(YEAR) == "d3"
    assert first_overdraft(YEAR, opening=2_999) == ""


def test_statement_lines():
    assert statement(YEAR[:2], opening=100) == ["d1 grant 500.00 501.00", "d2 saw -129.99 371.01"]


def test_closing_without_entries():
    assert closing_balance([], opening=-450) == -450
    assert closing_balance([]) == 0


def test_nothing_moves_on_a_zero_entry():
    assert running_balances([Entry("d1", "note", 0), Entry("d2", "note", 0)], opening=15) == [15, 15]


def test_amounts_with_cents():
    entry = read_entry("d9|raffle|  33.07 ")
    assert (entry.day, entry.memo, entry.amount) == ("d9", "raffle", 3_307)
