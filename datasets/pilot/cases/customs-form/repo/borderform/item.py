"""Items of a form."""

from typing import NamedTuple


class Item(NamedTuple):
    """One line of the form."""

    code: str
    description: str
    pieces: int
    weight: int
    value: int
