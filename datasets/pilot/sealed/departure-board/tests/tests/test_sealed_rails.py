# canary-pilot-402587b32036096a63dfd5cb432ab075
from railhead.board import board, last_train
from railhead.clock import hhmm
from railhead.connections import connections, wait
from railhead.timetable import Timetable

LINE = Timetable(
    {
        "R11": [("Mill", 600), ("Fork", 615), ("Dale", 660)],
        "R12": [("Dale", 590), ("Fork", 635), ("Mill", 650)],
        "R13": [("Fork", 640), ("Dale", 685)],
        "R14": [("Mill", 700), ("Fork", 715), ("Dale", 760)],
        "R15": [("Mill", 800), ("Fork", 815), ("Dale", 860)],
        "R16": [("Mill", 900), ("Fork", 915)],
    }
)


def test_a_full_board_shows_four():
    assert board(LINE, "Fork", 0) == ["10:15 R11", "10:35 R12", "10:40 R13", "11:55 R14"]


def test_departure_in_this_minute():
    assert board(LINE, "Mill", 700) == ["11:40 R14", "13:20 R15", "15:00 R16"]
    assert board(LINE, "Mill", 701) == ["13:20 R15", "15:00 R16"]


def test_last_train_home():
    assert [last_train(LINE, station) for station in ("Fork", "Dale", "Nowhere")] == ["13:35 R15", "9:50 R12", "-"]


def test_trains_that_can_be_reached():
    assert connections(LINE, "Fork", 630) == ["R12", "R13"]
    assert connections(LINE, "Fork", 631, patience=84) == ["R13", "R14"]


def test_minutes_on_the_platform():
    assert [wait(LINE, "Fork", arrival) for arrival in (610, 611, 815)] == [5, 24, None]


def test_the_delivered_words():
    assert LINE.calls_at("Dale") == [(590, "R12")]
    assert LINE.ends_at("Fork") == [(915, "R16")]
    assert LINE.starts_at("Fork") == [(640, "R13")]


def test_early_and_late_on_the_clock():
    assert [hhmm(minute) for minute in (0, 61, 1439)] == ["0:00", "1:01", "23:59"]
