"""The handful of statistics that the report needs."""


def mean(values):
    """Arithmetic mean, as a float."""
    return sum(values) / len(values)


def share_above(values, limit):
    """The fraction of values that lie above the limit."""
    return mean([1.0 if value > limit else 0.0 for value in values])


def swing(values):
    """Distance between the wettest and the driest moment; 0.0 if nothing was measured."""
    if not values:
        return 0.0
    return max(values) - min(values)
