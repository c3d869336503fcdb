"""Cellars."""

from cellarbook.prices import PriceList


class Cellar:
    """Bottles by wine."""

    def __init__(self, prices: PriceList) -> None:
        self._prices = prices
        self._bottles: dict[str, int] = {}
        self._value: int | None = None

    def add(self, wine: str, bottles: int = 1) -> None:
        """Put bottles in."""
        self._bottles[wine] = self._bottles.get(wine, 0) + bottles
        self._value = None

    def drink(self, wine: str, bottles: int = 1) -> int:
        """Take bottles out; returns how many are left. ValueError if there are not so many."""
        left = self._bottles.get(wine, 0) - bottles
        if left < 0:
            raise ValueError(f"there are not {bottles} bottles of {wine}")
        self._bottles[wine] = left
        return left

    def bottles(self) -> int:
        """All bottles."""
        return sum(self._bottles.values())

    def value(self) -> int:
        """What all bottles are worth."""
        if self._value is None:
            self._value = sum(count * self._prices.price(wine) for wine, count in self._bottles.items() if count)
        return self._value
