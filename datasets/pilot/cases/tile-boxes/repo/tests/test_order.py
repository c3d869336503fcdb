from tilework.order import boxes, tiles_needed
from tilework.surface import Surface
from tilework.tile import Tile

SLATE = Tile("slate 300", 300, 8, 3490)


def test_boxes_for_the_bathroom():
    assert boxes(62, SLATE) == 8


def test_tiles_of_a_wall():
    assert tiles_needed([Surface(1512, 906)], SLATE) == 15
