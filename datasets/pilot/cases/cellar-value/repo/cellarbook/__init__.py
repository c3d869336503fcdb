"""Wine cellars and what is in them."""

from cellarbook.cellar import Cellar
from cellarbook.prices import PriceList

__all__ = ["Cellar", "PriceList"]
