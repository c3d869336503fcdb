from fivesides.fixtures import Fixture
from fivesides.table import goal_differences

PLAYED = [Fixture("Harriers", "Ravens", (4, 1)), Fixture("Ravens", "Stags", (2, 2))]


def test_goals_with_a_match_to_come():
    fixtures = [*PLAYED, Fixture("Stags", "Harriers")]
    assert goal_differences(fixtures) == {"Harriers": 3, "Ravens": -3, "Stags": 0}


def test_goals_of_a_played_round():
    assert goal_differences(PLAYED) == {"Harriers": 3, "Ravens": -3, "Stags": 0}
