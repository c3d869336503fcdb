# canary-pilot-bfca062bb95b055416ae6c77aff21c2d
import pytest

from allotment.bed import Bed
from allotment.counting import plants
from allotment.rotation import next_year, years

AFTER = {"beans": "leeks", "leeks": "roots", "roots": "beans"}


def mixed():
    bed = Bed(3, 3)
    bed.plant(1, 1, "beans")
    bed.plant(2, 2, "leeks")
    bed.plant(2, 3, "mint")
    bed.plant(3, 1, "beans")
    return bed


def test_places_are_planted_one_by_one():
    assert mixed().draw() == ["beans . .", ". leeks mint", "beans . ."]
    assert [mixed().crop(1, 2), mixed().crop(2, 2)] == [".", "leeks"]


def test_this_year_outlives_the_next_plan():
    bed = mixed()
    assert next_year(bed, AFTER).draw() == ["leeks . .", ". roots mint", "leeks . ."]
    assert bed.draw() == ["beans . .", ". leeks mint", "beans . ."]


def test_three_years_in_a_row():
    bed = Bed(2, 1)
    bed.plant(2, 1, "leeks")
    assert years(bed, AFTER, 4) == [[".", "leeks"], [".", "roots"], [".", "beans"], [".", "leeks"]]


def test_planting_next_year_by_hand():
    bed = Bed(2, 2)
    coming = next_year(bed, {})
    coming.plant(1, 2, "kale")
    assert (bed.draw(), coming.draw()) == ([". .", ". ."], [". kale", ". ."])


def test_plants_to_buy():
    assert plants(mixed()) == {"beans": 2, "leeks": 1, "mint": 1}


def test_two_beds_side_by_side():
    left, right = Bed(1, 2), Bed(1, 2)
    left.plant(1, 1, "dill")
    assert (left.draw(), right.draw()) == (["dill ."], [". ."])


def test_a_bed_of_one_row():
    bed = Bed(1, 3)
    bed.plant(1, 3, "roots")
    assert (plants(bed), next_year(bed, AFTER).draw()) == ({"roots": 1}, [". . beans"])


def test_corners_of_the_bed():
    for row, place in ((0, 1), (1, 0), (3, 1), (1, 4)):
        with pytest.raises(IndexError):
            Bed(2, 3).plant(row, place, "dill")
    assert Bed(2, 3).crop(2, 3) == "."
