from donorgate.desk import answer
from donorgate.donor import Donor


def test_exactly_the_minimum_weight():
    assert answer(Donor(age=41, weight_kg=50)) == "welcome"


def test_well_above_it():
    assert answer(Donor(age=41, weight_kg=81.5, rested_days=200)) == "welcome"


def test_too_young():
    assert answer(Donor(age=17, weight_kg=66)) == "come back: age"
