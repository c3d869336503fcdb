"""Sheets."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sheet:
    """A printed map: a name, the south-western corner, and how far it reaches east and north."""

    name: str
    west: float
    south: float
    size: float = 40


def spans(begin, length, value):
    """Whether a coordinate lies on a stretch of that length."""
    return begin <= value <= begin + length


def shows(sheet, east, north):
    """Whether a place is printed on a sheet."""
    return spans(sheet.west, sheet.size, east) and spans(sheet.south, sheet.size, north)
