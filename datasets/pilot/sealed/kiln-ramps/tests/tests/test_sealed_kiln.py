# canary-pilot-9dd85797d13b54401544530b08d681e4
from stoneware.cones import cone_temperatures
from stoneware.cooling import hours_until_open
from stoneware.program import minutes, segment
from stoneware.units import to_celsius


def test_slow_and_quick_ramps():
    lines = ["20 to 250, hold 60", "108 to cone 04, hold 0", "475 to cone 10, hold 15"]
    assert [segment(line)[0] for line in lines] == [11, 60, 264]


def test_minutes_of_a_chart():
    assert minutes(["180 to cone 06, hold 10", "108 to cone 6, hold 25"]) == 845
    assert minutes(["342 to 1472, hold 0"]) == 246


def test_opening_the_kiln():
    assert [hours_until_open(reached) for reached in (1222, 999, 137.5)] == [15.0, 12.0, 0.5]


def test_temperatures():
    assert [round(to_celsius(fahrenheit), 2) for fahrenheit in (32, 1830, 77, -40)] == [0.0, 998.89, 25.0, -40.0]


def test_the_table_as_copied():
    assert cone_temperatures() == {"06": 1830, "04": 1945, "6": 2232, "10": 2345}


def test_a_cool_kiln():
    assert [hours_until_open(reached) for reached in (100, 61.5)] == [0.0, 0.0]


def test_targets_and_holds():
    lines = ["250 to cone 04, hold 35", "90 to 1103, hold 7"]
    assert [segment(line)[1:] for line in lines] == [(1063, 35), (595, 7)]
