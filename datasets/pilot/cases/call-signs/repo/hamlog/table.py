"""The table of prefixes."""

import csv
from functools import cache
from pathlib import Path


@cache
def prefixes():
    """(prefix, country, continent) for each row of the table."""
    with Path(__file__).with_name("prefixes.csv").open(encoding="ascii", newline="") as rows:
        return tuple((row["prefix"], row["country"], row["continent"]) for row in csv.DictReader(rows))
