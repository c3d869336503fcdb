from decimal import Decimal

import pytest

from labbench.mass import molar_mass


def test_mass_of_ethanol():
    assert molar_mass("C2H6O") == Decimal("46.069")


def test_unknown_elements():
    with pytest.raises(LookupError):
        molar_mass("UO2")
