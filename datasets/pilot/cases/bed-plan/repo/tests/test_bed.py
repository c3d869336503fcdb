import pytest

from allotment.bed import Bed


def test_one_tomato():
    bed = Bed(3, 2)
    bed.plant(2, 1, "tomato")
    assert bed.draw() == [". .", "tomato .", ". ."]


def test_an_unplanted_bed():
    assert Bed(2, 3).draw() == [". . .", ". . ."]


def test_outside_of_the_bed():
    with pytest.raises(IndexError):
        Bed(2, 3).plant(3, 1, "leek")
