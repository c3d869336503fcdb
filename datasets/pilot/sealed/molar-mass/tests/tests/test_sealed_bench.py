# canary-pilot-9e24a88c7d4bb7a4036dae010dfe5fc3
from decimal import Decimal

import pytest

from labbench.formula import atoms
from labbench.mass import hydrate_mass, mass_of, molar_mass
from labbench.mixture import together


def test_an_element_in_three_places():
    assert atoms("CH3CH2CH2OH") == {"C": 3, "H": 8, "O": 1}
    assert molar_mass("CH3CH2OH") == Decimal("46.069")


def test_inside_and_outside_of_brackets():
    assert atoms("(NH4)2HPO4") == {"N": 2, "H": 9, "P": 1, "O": 4}
    assert atoms("C(CH3)4(OH)2") == {"C": 5, "H": 14, "O": 2}


def test_brackets_in_brackets():
    assert atoms("CN(Fe(CN)6)2") == {"C": 13, "N": 13, "Fe": 2}
    assert molar_mass("O(H(OH)2)3") == Decimal("121.065")


def test_parts_that_share_an_element():
    assert together([(2, "NaCl"), (3, "KCl"), (1, "Na2S")]) == {"Na": 4, "Cl": 5, "K": 3, "S": 1}


def test_blue_vitriol():
    assert hydrate_mass("CuSO4", 5) == Decimal("249.677")


def test_each_element_once():
    assert atoms("K2Cu(C4)3") == {"K": 2, "Cu": 1, "C": 12}
    assert molar_mass("NaCl") == Decimal("58.440")


def test_parts_without_anything_in_common():
    assert together([(1, "NaCl"), (4, "H2O")]) == {"Na": 1, "Cl": 1, "H": 8, "O": 4}
    assert (together([]), atoms("")) == ({}, {})


def test_elements_that_are_not_listed():
    with pytest.raises(LookupError):
        mass_of({"H": 2, "Xe": 1})
