from quayside.clash import clashes
from quayside.stay import Stay

FERRY = Stay("ferry", 8, 12)


def test_berth_is_left_as_the_next_arrives():
    assert clashes([FERRY], Stay("tug", 12, 15)) == []


def test_same_hours():
    assert clashes([FERRY], Stay("yacht", 8, 12)) == ["ferry"]


def test_hours_apart():
    assert clashes([FERRY], Stay("barge", 0, 3)) == []


def test_earlier_vessel_entered_last():
    assert clashes([FERRY], Stay("pilot", 5, 8)) == []
