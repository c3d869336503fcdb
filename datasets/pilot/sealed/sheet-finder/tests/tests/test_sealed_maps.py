# canary-pilot-0d778494108f712d17054a644e911f34
from mapcase.finder import is_covered, sheets_for
from mapcase.sheet import Sheet
from mapcase.walk import off_the_map, sheets_for_walk

GRID = [
    Sheet("sw", 0, 0, 20),
    Sheet("se", 20, 0, 20),
    Sheet("nw", 0, 20, 20),
    Sheet("ne", 20, 20, 20),
    Sheet("town", 15, 8, 2.5),
]


def test_where_four_sheets_meet():
    assert sheets_for(GRID, 20, 20) == ["ne"]
    assert sheets_for(GRID, 20, 0) == ["se"]


def test_northern_edge():
    assert sheets_for(GRID, 3, 20) == ["nw"]
    assert sheets_for(GRID, 16, 10.5) == ["sw"]


def test_edge_of_the_series():
    assert [is_covered(GRID, *place) for place in ((40, 5), (5, 40), (39.5, 39.5))] == [False, False, True]


def test_a_walk_along_an_edge():
    assert sheets_for_walk(GRID, [(20, 3), (20, 19), (20, 20), (18, 20)]) == ["se", "ne", "nw"]
    assert off_the_map(GRID, [(30, 39), (40, 39), (38, 40)]) == [(40, 39), (38, 40)]


def test_just_short_of_an_edge():
    assert [sheets_for(GRID, *place) for place in ((19.75, 1), (1, 19.999))] == [["sw"], ["sw"]]
    assert sheets_for(GRID, 39.25, 19.5) == ["se"]


def test_town_plan_on_top():
    assert sheets_for(GRID, 15, 8) == ["sw", "town"]
    assert sheets_for(GRID, 17.25, 10.25) == ["sw", "town"]


def test_a_walk_beyond_the_series():
    assert off_the_map(GRID, [(-1, 4), (4, 4), (41, 4)]) == [(-1, 4), (41, 4)]
    assert sheets_for_walk(GRID, [(25, 5), (5, 5), (16, 9), (25, 6)]) == ["se", "sw", "town"]


def test_negative_coordinates():
    coast = [Sheet("coast", -40, -40)]
    assert [sheets_for(coast, *place) for place in ((-40, -40), (-0.5, -39), (1, -5))] == [["coast"], ["coast"], []]
