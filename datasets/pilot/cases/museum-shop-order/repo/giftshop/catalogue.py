from dataclasses import dataclass, field


@dataclass(frozen=True)
class Item:
    """Something with a tag on it; the price is in pence."""

    name: str
    price: int


@dataclass
class Order:
    items: list = field(default_factory=list)
    friend: bool = False


class Catalogue:
    """All that can be bought."""

    def __init__(self, items):
        self._by_name = {item.name: item for item in items}

    def find(self, name):
        """The item of that name, or LookupError if we do not carry it."""
        try:
            return self._by_name[name]
        except KeyError:
            raise LookupError(f"we do not carry {name}") from None
