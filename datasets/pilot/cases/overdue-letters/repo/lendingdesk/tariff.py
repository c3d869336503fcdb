"""What it costs to be late."""

from pathlib import Path

FILE = Path(__file__).with_name("tariff.csv")


def tariff():
    """Days of grace and cents a day for each kind of loan."""
    rows = {}
    for line in FILE.read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            kind, grace, cents = line.split(";")
            rows[kind] = (int(grace), int(cents))
    return rows


def fee(kind, days_late):
    """Cents for one loan; LookupError for a kind that is not in the tariff."""
    grace, cents = tariff()[kind]
    return max(0, days_late - grace) * cents
