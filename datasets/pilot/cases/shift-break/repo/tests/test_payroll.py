from rota.payroll import paid_minutes
from rota.sheet import hours_text
from rota.shift import Shift


def test_shift_without_a_recorded_break():
    shift = Shift("Mia", 360, 600, None)
    assert paid_minutes(shift) == 240


def test_shift_with_a_break():
    shift = Shift("Mia", 360, 840, 45)
    assert paid_minutes(shift) == 435


def test_hours_as_text():
    assert hours_text(125) == "2h05"
