# canary-pilot-0242a1c404108fdb5e53f509a63d7535
import pytest

from drivetrain import Bike
from drivetrain.chart import chart, longest, shortest
from drivetrain.ratios import metres_a_turn, ratio
from drivetrain.speed import kmh, turns_a_minute

RINGS, SPROCKETS = [22, 32, 44], [11, 16, 34]


def test_three_rings():
    rows = chart(Bike(RINGS, SPROCKETS, 2070))
    assert rows[22] == [4.14, 2.85, 1.34]
    assert rows[32] == [6.02, 4.14, 1.95]
    assert rows[44] == [8.28, 5.69, 2.68]


def test_ends_of_the_chart():
    bike = Bike([26, 39, 53], [12, 15, 28], 2136)
    assert (shortest(bike), longest(bike)) == (1.98, 9.43)


def test_speed():
    bike = Bike(RINGS, SPROCKETS, 2070)
    assert [kmh(bike, 44, 16, 85), kmh(bike, 22, 34, 62.5)] == [29.0, 5.0]
    assert kmh(bike, 44, 11, 97) == 48.2


def test_cadence():
    bike = Bike(RINGS, SPROCKETS, 2070)
    assert turns_a_minute(bike, 32, 34, 12.0) == 102.7
    assert turns_a_minute(bike, 44, 11, 31.4) == 63.2


def test_ratio_below_one():
    assert round(ratio(22, 34), 5) == 0.64706
    assert metres_a_turn(24, 36, 2231) == 1.49


def test_as_many_teeth_behind_as_in_front():
    bike = Bike([32], [32], 2222)
    assert chart(bike) == {32: [2.22]}
    assert kmh(bike, 32, 32, 60) == 8.0


def test_counting_gears():
    assert Bike(RINGS, SPROCKETS, 2070).gears() == 9
    with pytest.raises(ValueError):
        Bike([], [11], 2070)
