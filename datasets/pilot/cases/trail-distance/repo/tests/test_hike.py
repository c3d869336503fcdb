from footpath.distance import Point
from footpath.huts import Hut, nearest
from footpath.route import route_km


def test_route_along_the_equator():
    assert route_km([Point(0, 0), Point(0, 1), Point(0, 3)]) == 333.6


def test_nearest_hut():
    huts = [Hut("Far", Point(3, 3)), Hut("Near", Point(1, 0))]
    assert nearest(huts, Point(0, 0)).name == "Near"
