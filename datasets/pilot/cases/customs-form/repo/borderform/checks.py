"""What is looked at, column by column."""

from borderform.commodities import unit_of

IN_ORDER = {
    "code": lambda item: unit_of(item.code) != "",
    "description": lambda item: item.description.strip() != "",
    "pieces": lambda item: item.pieces >= 1 or unit_of(item.code) != "pcs",
    "weight": lambda item: item.weight > 0,
    "value": lambda item: item.value > 0,
}


def objections(item):
    """Columns of an item that are not in order."""
    for column, is_in_order in IN_ORDER.items():
        if not is_in_order(item):
            return [column]
    return []
