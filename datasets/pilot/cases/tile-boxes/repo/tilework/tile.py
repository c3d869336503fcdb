"""Tiles as the merchant sells them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    """A square tile; a box of them has a price in cents."""

    name: str
    edge_mm: int
    per_box: int
    box_price: int
