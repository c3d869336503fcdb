"""One line of the books."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    day: str
    memo: str
    amount: int  # cents; what goes out is negative


def read_entry(line):
    """Read '2031-04-02 | rent | -120.00'."""
    day, memo, amount = (part.strip() for part in line.split("|"))
    return Entry(day, memo, round(float(amount) * 100))
