"""Lines of an invoice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """What was sold. `unit_price` is in cents and belongs to one piece."""

    description: str
    unit_price: int
    quantity: int = 1
