"""What a customer orders."""


def stretch(first, last, step):
    """Page numbers from the first to the last page of a stretch."""
    numbers = []
    number = first
    while number < last:
        numbers.append(number)
        number += step
    return numbers


def part(text, length):
    """Page numbers of one part of a selection, for a document of that length."""
    if "-" not in text:
        return [int(text)]
    bounds, slash, step = text.partition("/")
    first, _, last = bounds.partition("-")
    return stretch(int(first), int(last) if last else length, int(step) if slash else 1)


def selection(text, length):
    """All page numbers in order. Raises ValueError for a page that the document does not have."""
    numbers = []
    for each in text.split(","):
        numbers.extend(part(each.strip(), length))
    for number in numbers:
        if not 1 <= number <= length:
            raise ValueError(f"there is no page {number}")
    return numbers
