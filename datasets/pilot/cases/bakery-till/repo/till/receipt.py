"""From a basket to the figures printed at the bottom of a receipt."""

from till.rates import rate_for


def tax(net, category):
    """Tax on one net price, in whole cents."""
    return round(net * rate_for(category), 2)


def gross(net, category):
    """What the customer pays for one article."""
    return round(net + tax(net, category), 2)


def total(basket):
    """What the customer pays for everything."""
    return round(sum(gross(article.net, article.category) for article in basket.articles), 2)


def tax_by_category(basket):
    """The tax part of the receipt, one figure for each category that occurs."""
    summed = {}
    for article in basket.articles:
        so_far = summed.get(article.category, 0.0)
        summed[article.category] = round(so_far + tax(article.net, article.category), 2)
    return summed
