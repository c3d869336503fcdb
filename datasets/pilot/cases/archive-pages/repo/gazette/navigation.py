"""Links between pages."""

from gazette.archive import PAGE_SIZE, page, page_count


def address(number):
    """Where a page is found; the first one has the short address."""
    return "/archive" if number == 1 else f"/archive/{number}"


def links(length, number, size=PAGE_SIZE):
    """Addresses of the previous and the next page, as far as they exist."""
    last = page_count(length, size)
    return [address(other) for other in (number - 1, number + 1) if 1 <= other <= last]


def whole_archive(articles, size=PAGE_SIZE):
    """Every page of the archive under its address."""
    numbers = range(1, page_count(len(articles), size) + 1)
    return {address(number): page(articles, number, size) for number in numbers}
