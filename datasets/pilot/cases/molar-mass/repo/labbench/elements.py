"""Masses of the elements."""

from decimal import Decimal
from pathlib import Path


def masses():
    """g/mol by symbol."""
    text = Path(__file__).with_name("elements.tsv").read_text(encoding="ascii")
    return {symbol: Decimal(mass) for symbol, mass in (line.split("\t") for line in text.splitlines())}
