"""Value added tax by category, as a fraction of the net price."""

STANDARD_RATE = 0.20
FOOD_RATE = 0.15
EXEMPT_RATE = 0.0

CATEGORIES = {
    "goods": STANDARD_RATE,
    "food": FOOD_RATE,
    "newspaper": EXEMPT_RATE,
}


def rate_for(category):
    """The rate that applies to a category; ValueError for a category nobody declared."""
    if category not in CATEGORIES:
        raise ValueError(f"no such category: {category}")
    return CATEGORIES[category]
