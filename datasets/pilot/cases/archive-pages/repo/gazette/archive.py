"""Cutting a long list into pages."""

PAGE_SIZE = 10


def page_count(length, size=PAGE_SIZE):
    """How many pages a list of that length fills. An empty list fills one empty page."""
    return max(1, -(-length // size))


def page(articles, number, size=PAGE_SIZE):
    """The articles on one page.

    :param articles: all of them, in order
    :param number: the page, counted from 1
    :param size: articles to a page
    :raises IndexError: if there is no such page
    """
    if not 1 <= number <= page_count(len(articles), size):
        raise IndexError(f"no page {number}")
    start = (number - 1) * size
    return articles[start : start + size - 1]
