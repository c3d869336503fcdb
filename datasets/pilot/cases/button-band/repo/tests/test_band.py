import pytest

from cardigan.band import places


def test_first_and_last_button():
    found = places(420, 8, 35)
    assert (found[0], found[-1]) == (35, 385)


def test_a_single_button():
    with pytest.raises(ValueError):
        places(420, 1, 35)


def test_margins_that_meet():
    with pytest.raises(ValueError):
        places(60, 4, 30)
