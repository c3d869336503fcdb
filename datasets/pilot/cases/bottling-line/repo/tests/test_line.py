from cidery.line import line_rate
from cidery.plan import clock
from cidery.station import Station, capacity

FRIDAY = [Station("washer", 1, 1800), Station("filler", 2, 1250), Station("corker", 1, 1150)]


def test_fridays_line():
    assert line_rate(FRIDAY) == 1150


def test_two_fillers_side_by_side():
    assert capacity(FRIDAY[1]) == 2500


def test_clock():
    assert clock(605) == "10:05"
