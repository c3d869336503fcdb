"""For the insurance."""

from cellarbook.cellar import Cellar

PREMIUM_PER_MILLE = 4


def premium(cellars: list[Cellar]) -> int:
    """Cents to pay for a year: four per mille of the value, rounded up."""
    return -(-sum(cellar.value() for cellar in cellars) * PREMIUM_PER_MILLE // 1000)


def statement(name: str, cellar: Cellar) -> str:
    """One line."""
    return f"{name}: {cellar.bottles()} bottles, {cellar.value() / 100:.2f}"
