from drivetrain import Bike
from drivetrain.chart import chart


def test_the_big_ring():
    assert chart(Bike([34, 50], [11, 13, 17], 2105))[50] == [9.57, 8.1, 6.19]


def test_every_ring_has_a_row():
    assert sorted(chart(Bike([50, 34], [17, 11], 2105))) == [34, 50]
