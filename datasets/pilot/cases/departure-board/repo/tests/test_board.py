from railhead.board import board
from railhead.timetable import Timetable

TRAINS = {
    "T1": [("Harbour", 480), ("Elm Junction", 510), ("Quarry", 540)],
    "T2": [("Elm Junction", 484), ("Quarry", 512)],
    "T3": [("Quarry", 470), ("Elm Junction", 500)],
}


def test_board_of_elm_junction():
    assert board(Timetable(TRAINS), "Elm Junction", 480) == ["8:04 T2", "8:30 T1"]
