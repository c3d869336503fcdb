# canary-pilot-620d82acba0649b48c3bd8b470e73c32
from footpath import distance
from footpath.distance import Point
from footpath.huts import Hut, nearest, with_beds
from footpath.route import hours, legs, route_km

HUTS = [Hut("Sour Milk", Point(10, 10), 4), Hut("Old Kiln", Point(-10, 20), 12), Hut("Gap", Point(10, -30), 8)]


def test_there_and_back_over_the_pole():
    assert route_km([Point(89, 0), Point(90, 0), Point(89, 180), Point(89, 0)]) == 444.8
    assert route_km([Point(5, 5)]) == 0


def test_walking_time():
    assert hours([Point(0, 0), Point(1, 0)]) == 27.8
    assert hours([Point(0, 0), Point(1, 0)], pace_kmh=5.0) == 22.2


def test_huts_from_three_places():
    names = [nearest(HUTS, Point(*here)).name for here in [(0, 0), (-20, 30), (0, -60)]]
    assert names == ["Sour Milk", "Old Kiln", "Gap"]


def test_huts_across_the_date_line():
    huts = [Hut("West", Point(0, 179)), Hut("East", Point(0, -170))]
    assert nearest(huts, Point(0, -179)).name == "West"


def test_the_new_name_is_the_only_one():
    names = [name for name in ("great_circle_km", "haversine_km") if hasattr(distance, name)]
    assert names == ["great_circle_km"]


def test_pairs_of_points():
    assert legs(["a", "b", "c"]) == [("a", "b"), ("b", "c")]


def test_beds():
    assert [hut.name for hut in with_beds(HUTS, 8)] == ["Old Kiln", "Gap"]
