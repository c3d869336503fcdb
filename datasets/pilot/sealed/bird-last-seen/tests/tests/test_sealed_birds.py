# canary-pilot-d893e3b978704212cca08f23a2317e3c
import pytest

from fieldnotes import Diary
from fieldnotes.overview import as_text, last_days, still_missing


def noted(*days):
    diary = Diary()
    for day in days:
        diary.note(day, "wren", 2)
    return diary


def test_asking_the_diary_itself():
    diary = noted(40, 300)
    assert [diary.last_day(species) for species in ("wren", "kite", "Wren")] == [300, None, None]


def test_an_empty_diary():
    assert last_days(Diary(), ["crane", "wren"]) == {"crane": None, "wren": None}
    assert last_days(Diary(), []) == {}


def test_dashes_in_the_text():
    assert as_text(noted(7), ["kite", "wren"]) == ["kite: -", "wren: 7"]


def test_order_of_notes_does_not_matter():
    assert [noted(*days).last_day("wren") for days in [(1, 2, 3), (3, 2, 1), (366,), (9, 9)]] == [3, 3, 366, 9]


def test_what_is_missing():
    assert still_missing(noted(12), ["kite", "wren", "smew"]) == ["kite", "smew"]


def test_days_that_are_none():
    for day in (0, 367):
        with pytest.raises(ValueError):
            noted(day)
