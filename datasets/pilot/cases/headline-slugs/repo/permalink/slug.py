"""Headlines as parts of an address."""


def slugify(headline: str) -> str:
    """Make a headline fit for an address."""
    return headline.lower().replace(" ", "-")


def numbered(slug: str, taken: set[str]) -> str:
    """The slug itself, or with the first number from 2 on that makes it distinct from those already taken."""
    candidate, number = slug, 1
    while candidate in taken:
        number += 1
        candidate = f"{slug}-{number}"
    return candidate
