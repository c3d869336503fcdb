from nightplan.dial import minutes
from nightplan.sky import hour_angle, side


def test_an_hour_after_the_meridian():
    assert hour_angle(minutes("6:30"), minutes("5:30")) == 60


def test_on_the_meridian():
    assert hour_angle(615, 615) == 0
    assert side(615, 615) == "meridian"


def test_opposite_to_the_meridian():
    assert hour_angle(100, 820) == -720
