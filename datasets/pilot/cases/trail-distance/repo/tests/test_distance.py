from footpath.distance import Point, great_circle_km


def test_one_degree_of_longitude():
    assert round(great_circle_km(Point(0, 0), Point(0, 1)), 1) == 111.2
