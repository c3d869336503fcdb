"""Loans."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Loan:
    """Something that a reader has at home; `due` is the last day on which it may come back."""

    reader: str
    title: str
    kind: str
    due: int


def late(loans, today):
    """Pairs of a loan and the days that it is late, for every loan that is."""
    by_age = sorted(loans, key=lambda loan: (loan.due, loan.title))
    return ((loan, today - loan.due) for loan in by_age if today > loan.due)
