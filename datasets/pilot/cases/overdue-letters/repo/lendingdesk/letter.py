"""What is printed and put into envelopes."""

from lendingdesk.loan import late
from lendingdesk.tariff import fee


def money(cents):
    """240 cents are written 2.40."""
    return f"{cents // 100}.{cents % 100:02d}"


def letter(reader, loans, today):
    """The lines of the reminder for one reader; no lines if nothing is late."""
    mine = [loan for loan in loans if loan.reader == reader]
    pairs = late(mine, today)
    amount = sum(fee(loan.kind, days) for loan, days in pairs)
    titles = [f"{loan.title} ({days} days)" for loan, days in pairs]
    if not amount and not titles:
        return []
    return [f"Dear {reader}", *titles, f"To pay: {money(amount)}"]
