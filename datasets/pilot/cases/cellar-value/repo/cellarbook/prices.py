"""Prices."""


class PriceList:
    """Cents for a bottle of each wine; `asked` says how many prices were looked up."""

    def __init__(self) -> None:
        self._cents: dict[str, int] = {}
        self.asked = 0

    def set(self, wine: str, cents: int) -> None:
        """Enter a price, or a new one."""
        if cents < 0:
            raise ValueError(f"{cents} is no price")
        self._cents[wine] = cents

    def price(self, wine: str) -> int:
        """Cents for a bottle; LookupError if the list does not have the wine."""
        self.asked += 1
        if wine not in self._cents:
            raise LookupError(f"no price for {wine}")
        return self._cents[wine]
