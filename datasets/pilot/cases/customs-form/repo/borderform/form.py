"""The form as a whole."""

from borderform.checks import objections


def problems(items):
    """What customs will object to, one line each; items are counted from 1."""
    for number, item in enumerate(items, start=1):
        lines = [f"item {number}: {column}" for column in objections(item)]
        if lines:
            return lines
    return []


def columns_to_mend(items):
    """How often each column is not in order, by column; columns that are fine are left out."""
    counted = {}
    for line in problems(items):
        column = line.partition(": ")[2]
        counted[column] = counted.get(column, 0) + 1
    return counted


def totals(items):
    """Weight and value of everything in the crate."""
    return sum(item.weight for item in items), sum(item.value for item in items)
