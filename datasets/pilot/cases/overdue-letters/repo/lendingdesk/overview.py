"""A line for the screen at the desk."""

from lendingdesk.loan import late


def overview(loans, today):
    """How many loans are late, and for how long the longest of them is."""
    pairs = late(loans, today)
    count = sum(1 for _ in pairs)
    longest = max((days for _, days in pairs), default=0)
    return f"{count} late, longest {longest} days"


def readers_to_write_to(loans, today):
    """Everybody with something late, by name."""
    return sorted({loan.reader for loan, _ in late(loans, today)})
