"""Job tickets."""

from pressroom.price import price
from pressroom.selection import selection


def ticket(text, length, both_sides=False):
    """One line that travels with the job."""
    numbers = selection(text, length)
    sides = "both sides" if both_sides else "one side"
    return f"[{text}] {len(numbers)} pages, {sides}, {price(numbers, both_sides) / 100:.2f}"
