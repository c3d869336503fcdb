"""The customs office's list of commodities."""

import csv
from pathlib import Path

LIST = Path(__file__).parent / "commodities.csv"


def units():
    """The unit of each commodity, by code."""
    with LIST.open(encoding="utf-8", newline="") as opened:
        return {row["code"]: row["unit"] for row in csv.DictReader(opened)}


def unit_of(code):
    """'pcs' or 'kg', or an empty text for a code that is not in the list."""
    return units().get(code, "")
