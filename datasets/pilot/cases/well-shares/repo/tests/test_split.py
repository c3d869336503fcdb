import pytest

from wellshare.house import House
from wellshare.split import split


def test_three_houses_and_a_pump():
    houses = [House("mill"), House("forge"), House("chapel")]
    assert split(10_000, houses) == {"mill": 3334, "forge": 3333, "chapel": 3333}


def test_a_bill_that_divides():
    assert split(10_000, [House("mill", 1), House("forge", 3)]) == {"mill": 2500, "forge": 7500}


def test_nobody_holds_a_share():
    with pytest.raises(ValueError):
        split(10_000, [House("ruin", 0)])
