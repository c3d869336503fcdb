# canary-pilot-aa827697b7eda7d42279df9a5fce63e5
from quayside.berths import busy_hours, free_berths
from quayside.clash import clashes, overlap
from quayside.stay import Stay, parse_stay

PLAN = [Stay("anna", 10, 20), Stay("berta", 20, 30), Stay("carla", 40, 41)]


def test_a_chain_of_vessels():
    assert clashes(PLAN, Stay("new", 30, 40)) == []
    assert clashes(PLAN, Stay("new", 20, 30)) == ["berta"]
    assert clashes(PLAN, Stay("new", 41, 60)) == []


def test_berths_that_become_free_in_time():
    harbour = {"north": [Stay("anna", 1, 6)], "south": [Stay("berta", 1, 7)], "west": []}
    assert free_berths(harbour, parse_stay("old tub 6-9")) == ["north", "west"]


def test_midnight_on_the_first_day():
    assert overlap(Stay("anna", 0, 24), Stay("berta", 24, 48)) == False  # noqa: E712


def test_one_shared_hour():
    assert clashes(PLAN, Stay("new", 29, 35)) == ["berta"]
    assert clashes(PLAN, Stay("new", 19, 20)) == ["anna"]
    assert clashes(PLAN, Stay("new", 9, 11)) == ["anna"]


def test_one_stay_inside_another():
    assert clashes(PLAN, Stay("new", 12, 15)) == ["anna"]
    assert clashes(PLAN, Stay("new", 5, 39)) == ["anna", "berta"]


def test_long_before_and_long_after():
    assert clashes(PLAN, Stay("new", 0, 4)) == []
    assert clashes(PLAN, Stay("new", 90, 95)) == []


def test_a_whole_week():
    assert clashes(PLAN, Stay("new", 0, 168)) == ["anna", "berta", "carla"]
    assert busy_hours(PLAN) == 21
