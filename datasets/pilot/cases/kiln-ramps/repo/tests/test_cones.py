import pytest

from stoneware.cones import bends_at
from stoneware.units import to_celsius


def test_cone_six():
    assert round(to_celsius(bends_at("6"))) == 1222


def test_no_such_cone():
    with pytest.raises(LookupError):
        bends_at("7")
