"""Masses of what is on the bench."""

from labbench.elements import masses
from labbench.formula import atoms
from labbench.mixture import together


def mass_of(counted):
    """g/mol of counted atoms. Raises LookupError for an element that is not in the list."""
    known = masses()
    return sum(known[symbol] * count for symbol, count in counted.items())


def molar_mass(formula):
    """g/mol of a formula."""
    return mass_of(atoms(formula))


def hydrate_mass(formula, water):
    """g/mol of a salt with that many molecules of water."""
    return mass_of(together([(1, formula), (water, "H2O")]))
