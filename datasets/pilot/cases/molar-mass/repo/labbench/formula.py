"""Reading formulas."""

import re

TOKEN = re.compile(r"([A-Z][a-z]?)(\d*)|(\()|\)(\d*)")


def atoms(formula):
    """How many atoms of each element there are, by symbol."""
    levels = [{}]
    for match in TOKEN.finditer(formula):
        symbol, number, opening, factor = match.groups()
        if symbol:
            levels[-1][symbol] = int(number or 1)
        elif opening:
            levels.append({})
        else:
            inner = levels.pop()
            for symbol, count in inner.items():
                levels[-1][symbol] = count * int(factor or 1)
    return levels[0]
