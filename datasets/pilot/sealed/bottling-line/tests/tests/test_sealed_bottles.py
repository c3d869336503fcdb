# canary-pilot-97e5d12e277cf55d5c2aca2d6f070711
import pytest

from cidery.line import line_rate, load_percent
from cidery.plan import done_at, minutes_for
from cidery.station import Station

MONDAY = [Station("washer", 1, 1637), Station("filler", 3, 431), Station("corker", 2, 664)]


def test_slow_station_anywhere():
    stations = [Station("a", 1, 1429), Station("b", 1, 986), Station("c", 1, 2110)]
    assert line_rate(stations) == 986
    assert line_rate(stations[::-1]) == 986
    assert line_rate([stations[0], stations[2]]) == 1429


def test_machines_side_by_side():
    assert line_rate(MONDAY) == 1293


def test_busy_stations():
    assert load_percent(MONDAY) == {"washer": 79.0, "filler": 100.0, "corker": 97.4}


def test_end_of_an_order():
    assert [minutes_for(bottles, MONDAY) for bottles in (0, 1, 1293, 10_000)] == [0, 1, 60, 465]
    assert done_at(405, 10_000, MONDAY) == "14:30"


def test_one_station_by_itself():
    assert line_rate([Station("filler", 4, 273)]) == 1092
    assert minutes_for(5_000, [Station("filler", 4, 273)]) == 275


def test_equal_stations():
    assert load_percent([Station("a", 2, 400), Station("b", 1, 800)]) == {"a": 100.0, "b": 100.0}


def test_no_station():
    with pytest.raises(ValueError):
        line_rate([])
