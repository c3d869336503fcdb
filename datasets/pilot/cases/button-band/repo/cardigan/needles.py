"""Stitches and rows."""


def stitches(width, in_100_mm):
    """Stitches for a width."""
    return round(width * in_100_mm / 100)


def row_at(place, rows_in_100_mm):
    """The row in which a place lies, the lowest row being row 1."""
    return int(place * rows_in_100_mm / 100) + 1
