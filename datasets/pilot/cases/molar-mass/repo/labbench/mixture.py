"""Several formulas at once."""

from labbench.formula import atoms


def together(parts):
    """Atoms of all parts; a part is (how many, formula)."""
    total = {}
    for times, formula in parts:
        total.update({symbol: count * times for symbol, count in atoms(formula).items()})
    return total
