"""The repayment schedule of a linear loan."""

from typing import NamedTuple

MONTHS_A_YEAR = 12


class Instalment(NamedTuple):
    """One month: its number from 1, capital paid, interest paid, and what is owed afterwards."""

    number: int
    capital: int
    interest: int
    owed: int


def repayment_schedule(principal: int, term: int, yearly_percent: int) -> list[Instalment]:
    """List the instalments of a loan.

    Parameters
    ----------
    principal : cents borrowed
    term : number of months, at least 1
    yearly_percent : interest for a whole year, in percent

    Raises
    ------
    ValueError
        If the term is shorter than one month.
    """
    if term < 1:
        raise ValueError("a loan runs for one month at least")
    share, odd_cents = divmod(principal, term)
    owed = principal
    rows = []
    for number in range(1, term):
        interest = owed * yearly_percent // (100 * MONTHS_A_YEAR)
        capital = share + odd_cents if number == 1 else share
        owed -= capital
        rows.append(Instalment(number, capital, interest, owed))
    return rows
