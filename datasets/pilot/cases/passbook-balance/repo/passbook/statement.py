"""A statement for the notice board."""

from passbook.ledger import running_balances


def euros(cents):
    """Cents as a decimal number with two places."""
    return f"{cents / 100:.2f}"


def statement(entries, opening=0):
    """One line for each entry: day, memo, amount, balance."""
    lines = []
    for entry, balance in zip(entries, running_balances(entries, opening)):
        lines.append(f"{entry.day} {entry.memo} {euros(entry.amount)} {euros(balance)}")
    return lines
