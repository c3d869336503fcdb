# canary-pilot-5517bd60f2738730522f4386f495489f
from fivesides.fixtures import Fixture
from fivesides.table import goal_differences, goals_a_match, table

SEASON = [
    Fixture("Otters", "Lynx", (5, 3)),
    Fixture("Lynx", "Badgers"),
    Fixture("Badgers", "Otters", (6, 6)),
    Fixture("Moles", "Otters", None),
    Fixture("Lynx", "Otters", (9, 2)),
]


def test_rows_of_half_a_season():
    assert table(SEASON) == [("Otters", 3, 4, -5), ("Lynx", 2, 3, 5), ("Badgers", 1, 1, 0), ("Moles", 0, 0, 0)]


def test_the_first_match_is_to_come():
    assert goal_differences(SEASON[1:3]) == {"Badgers": 0, "Lynx": 0, "Otters": 0}
    assert goal_differences(SEASON[3:]) == {"Lynx": 7, "Moles": 0, "Otters": -7}


def test_goals_in_a_match():
    assert goals_a_match(SEASON) == 10.33
    assert goals_a_match(SEASON[:2]) == 8.0


def test_before_the_season():
    fixtures = [Fixture("Moles", "Lynx"), Fixture("Lynx", "Moles")]
    assert table(fixtures) == [("Lynx", 0, 0, 0), ("Moles", 0, 0, 0)]
    assert goals_a_match(fixtures) == 0.0


def test_rows_of_a_finished_season():
    fixtures = [Fixture("A", "B", (11, 7)), Fixture("B", "C", (13, 2)), Fixture("C", "A", (8, 8))]
    assert table(fixtures) == [("A", 2, 4, 4), ("B", 2, 3, 7), ("C", 2, 1, -11)]
    assert goals_a_match(fixtures) == 16.33


def test_a_goalless_draw_is_a_match():
    assert table([Fixture("B", "A", (0, 0))]) == [("A", 1, 1, 0), ("B", 1, 1, 0)]


def test_no_league():
    assert table([]) == []
