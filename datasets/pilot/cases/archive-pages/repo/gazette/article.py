"""Articles."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Article:
    """Sorted by date, then by headline. The date is written YYYY-MM-DD."""

    date: str
    headline: str


def newest_first(articles):
    """A sorted copy."""
    return sorted(articles, reverse=True)
