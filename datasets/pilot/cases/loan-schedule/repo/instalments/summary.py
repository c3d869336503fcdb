"""Sentences about a schedule."""

from instalments.money import display


def total_interest(rows) -> int:
    """Interest over the whole term, in cents."""
    return sum(row.interest for row in rows)


def letter(rows) -> str:
    """The paragraph that goes into the customer's letter."""
    if not rows:
        return "There is nothing to pay."
    interest, rest = display(total_interest(rows)), display(rows[-1].owed)
    return f"{len(rows)} payments, of which {interest} is interest; {rest} remains."
