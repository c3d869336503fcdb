# canary-pilot-62bd303b8cb99b73d64c54055495355f
import pytest

from brewhouse.gravity import attenuation, drop
from brewhouse.label import duty_return, label, strongest
from brewhouse.strength import alcohol_ml, strength


def test_strength_before_it_is_printed():
    assert [round(strength(original, 1010), 3) for original in (1030, 1050, 1054)] == [2.625, 5.25, 5.775]


def test_a_heavy_barley_wine():
    assert label("Old Ox", 1112, 1016) == "Old Ox, 12.6 % vol"
    assert round(strength(1112, 1016), 3) == 12.6


def test_pure_alcohol_in_a_cask():
    assert alcohol_ml(164, 1040, 1008) == 6888
    assert alcohol_ml(0.5, 1048, 1008) == 26


def test_return_for_two_brews():
    assert duty_return({"Mild": (1036, 1012), "Pale": (1052, 1012)}, 200) == {"Mild": 6300, "Pale": 10500}


def test_gravity_that_rises():
    with pytest.raises(ValueError):
        strength(1010, 1011)
    assert drop(1066, 1018) == 48


def test_wort_carries_no_duty():
    assert alcohol_ml(500, 1049, 1049) == 0
    assert duty_return({}, 10) == {}


def test_which_is_the_strongest():
    assert strongest({"Mild": (1036, 1012), "Pale": (1052, 1012), "Stout": (1060, 1028)}) == "Pale"
    assert attenuation(1064, 1016) == 0.75
