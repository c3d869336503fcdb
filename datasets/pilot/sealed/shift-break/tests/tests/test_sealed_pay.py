# canary-pilot-e1b47e0576fe28b23f51abfaef203335
import pytest

from rota.payroll import minutes_of, paid_minutes, pay_list
from rota.sheet import sheet
from rota.shift import Shift

WEEK = [Shift("Ola", 420, 600), Shift("Ida", 1200, 1620, 30), Shift("Ola", 600, 1000, 20), Shift("Ola", 300, 335, None)]


def test_pay_list_with_and_without_breaks():
    assert pay_list(WEEK, 1_450) == {"Ida": 9_425, "Ola": 14_379}


def test_a_week_of_one_person():
    assert minutes_of("Ola", WEEK) == 595


def test_time_sheet_of_a_short_shift():
    assert sheet("Ola", WEEK[:1]) == "Ola 3h00"


def test_the_shift_is_left_as_it_was():
    shift = Shift("Kim", 0, 75)
    assert (paid_minutes(shift), shift.pause, paid_minutes(shift)) == (75, None, 75)


def test_breaks_of_other_lengths():
    assert [paid_minutes(Shift("Kim", 500, 700, pause)) for pause in (0, 1, 60, 200)] == [200, 199, 140, 0]


def test_nobody_worked():
    assert pay_list([], 2_000) == {}
    assert minutes_of("Kim", WEEK) == 0


def test_impossible_shift():
    with pytest.raises(ValueError):
        Shift("Kim", 700, 699)
