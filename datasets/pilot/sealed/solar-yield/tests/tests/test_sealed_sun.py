# canary-pilot-e93b7f39e81808f0463fea3d6cfe74d3
import pytest

from rooftop.forecast import day_wh, house_wh, month_kwh
from rooftop.form import Roof, read_form
from rooftop.money import months_to_pay, saved

WEEK = [4.1, 0.0, 5.3, 2.75, 6.2, 1.4, 3.9]


def test_other_losses():
    asked = [(4000, 15, 2.5), (6180, 8.5, 5.2), (1500, 100, 7), (3333, 22, 0.9)]
    assert [day_wh(Roof("south", watts, loss), hours) for watts, loss, hours in asked] == [8500, 29404, 0, 2340]


def test_two_sides_of_a_house():
    roofs = [Roof("east", 2460, 12.5), Roof("west", 3120, 7.25), Roof("east", 410)]
    assert house_wh(roofs, {"east": 3.5, "west": 4.15}) == 20978


def test_a_month():
    assert month_kwh(Roof("south", 5240, 18), WEEK) == 101.6
    assert saved(Roof("south", 5240, 18), WEEK, 31) == 3150


def test_when_it_is_paid():
    assert months_to_pay(384_900, Roof("south", 4980, 35), WEEK, 29) == 174


def test_nothing_lost():
    assert house_wh([Roof("roof", 4870, 0), Roof("roof", 1130)], {"roof": 4.3}) == 25800
    assert month_kwh(Roof("south", 5240), WEEK) == 123.9


def test_a_dark_month():
    with pytest.raises(ValueError):
        months_to_pay(100_000, Roof("north", 3000, 10), [0, 0, 0], 30)


def test_a_form_of_another_side():
    roof = read_form("west  3120 W   7.25 %")
    assert (roof.side, roof.peak_watts, roof.loss_percent) == ("west", 3120, 7.25)
