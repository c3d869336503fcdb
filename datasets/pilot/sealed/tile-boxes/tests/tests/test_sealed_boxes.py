# canary-pilot-6df5b6c8170f2077f5bc5dc3842426b3
import pytest

from tilework.order import boxes, left_over, order_line, order_price, tiles_needed
from tilework.surface import Surface
from tilework.tile import Tile

CREAM = Tile("cream 200", 200, 16, 2890)


def box_of(size):
    return Tile("plain", 100, size, 1)


def test_boxes_of_several_sizes():
    asked = [(1, 30), (31, 30), (50, 8), (97, 12), (1001, 25), (130, 12)]
    assert [boxes(count, box_of(size)) for count, size in asked] == [1, 2, 7, 9, 41, 11]


def test_what_is_left_over():
    assert [left_over(count, box_of(48)) for count in (62, 95, 97, 1)] == [34, 1, 47, 47]


def test_price_of_two_walls():
    walls = [Surface(2418, 2115), Surface(900, 400)]
    assert order_price(walls, Tile("sea 200", 200, 11, 2879)) == 40_306
    assert order_price(walls[1:], CREAM) == 2_890


def test_the_order_as_text():
    assert order_line([Surface(2418, 2115)], CREAM) == "9 x cream 200 (138 tiles)"


def test_boxes_that_are_used_up():
    assert [boxes(count, box_of(8)) for count in (0, 8, 48, 9_872)] == [0, 1, 6, 1234]
    assert left_over(48, box_of(8)) == 0


def test_spare_tiles():
    assert tiles_needed([Surface(2418, 2115)], CREAM) == 138
    assert tiles_needed([], CREAM) == 0


def test_less_than_nothing():
    with pytest.raises(ValueError):
        boxes(-1, CREAM)
