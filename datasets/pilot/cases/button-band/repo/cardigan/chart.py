"""What is written on the chart."""

from cardigan.band import places
from cardigan.needles import row_at


def button_rows(length, buttons, margin, rows_in_100_mm):
    """Rows in which a buttonhole is knitted."""
    return [row_at(place, rows_in_100_mm) for place in places(length, buttons, margin)]


def chart(length, buttons, margin, rows_in_100_mm):
    """The line at the top of the chart."""
    rows = button_rows(length, buttons, margin, rows_in_100_mm)
    return f"{buttons} buttonholes in rows {', '.join(str(row) for row in rows)}"
