# canary-pilot-de8bb99595a3e3fcd54e9013a960ad1e
import pytest

from stride.clock import shown
from stride.log import best, describe, weekly_distance
from stride.pace import pace, speed


def test_fractions_of_a_second():
    assert pace(1510, 4) == 377.5
    assert pace(1001, 8) == 125.125


def test_less_than_a_kilometre():
    assert pace(62, 0.25) == 248.0
    assert pace(90, 0.5) == 180.0


def test_the_best_of_three():
    assert best([(3000, 10), (280, 1), (1600, 5)]) == (280, 1)
    assert best([(3000, 10), (310, 1), (1600, 5)]) == (3000, 10)


def test_description():
    assert describe((2555, 7)) == "7 km in 42:35 (6:05 per km)"


def test_speed_is_as_before():
    assert speed(1800, 6) == 12.0
    assert weekly_distance([(1, 3), (1, 4.5)]) == 7.5


def test_no_distance():
    with pytest.raises(ValueError):
        pace(600, 0)


def test_short_times_are_padded():
    assert [shown(total) for total in (0, 59.9, 60, 605)] == ["0:00", "0:59", "1:00", "10:05"]
