"""What a job costs, in cents."""

PAGE = 6
SHEET = 2


def sheets(pages, both_sides=False):
    """Sheets of paper for a number of pages."""
    return (pages + 1) // 2 if both_sides else pages


def price(numbers, both_sides=False):
    """Toner for each page, and paper."""
    return len(numbers) * PAGE + sheets(len(numbers), both_sides) * SHEET
