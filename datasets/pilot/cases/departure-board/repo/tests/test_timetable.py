from railhead.clock import hhmm
from railhead.timetable import Timetable


def test_where_trains_begin():
    timetable = Timetable({"T2": [("Elm Junction", 484), ("Quarry", 512)]})
    assert timetable.starts_at("Elm Junction") == [(484, "T2")]


def test_minutes_on_the_clock():
    assert hhmm(484) == "8:04"
