# canary-pilot-99508c147d9b2f301fd03e302776d0cb
from donorgate.desk import admitted, answer, obstacles
from donorgate.donor import Donor


def test_the_limit_as_a_decimal():
    assert answer(Donor(age=18, weight_kg=50.0, rested_days=84)) == "welcome"


def test_other_obstacles_at_the_limit():
    assert obstacles(Donor(age=71, weight_kg=50, rested_days=83)) == ["age", "rest"]


def test_how_many_are_admitted():
    people = [Donor(30, weight) for weight in (48, 49.99, 50, 50, 50.01, 77)]
    assert admitted(people) == 4


def test_just_below_the_limit():
    assert answer(Donor(age=33, weight_kg=49.5)) == "come back: weight"
    assert answer(Donor(age=33, weight_kg=49.999)) == "come back: weight"


def test_age_at_both_ends():
    assert [admitted([Donor(age, 60)]) for age in (17, 18, 70, 71)] == [0, 1, 1, 0]


def test_twelve_weeks_of_rest():
    assert [answer(Donor(50, 90, days)) for days in (83, 84)] == ["come back: rest", "welcome"]


def test_everything_speaks_against_it():
    assert obstacles(Donor(age=9, weight_kg=31, rested_days=0)) == ["age", "weight", "rest"]
