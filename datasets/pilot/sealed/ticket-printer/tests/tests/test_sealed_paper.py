# canary-pilot-baa89ff1c7db54438a9de2453e223b72
import pytest

from boxoffice.layout import centred, cut
from boxoffice.plan import plan, row
from boxoffice.ticket import Ticket


def test_everything_on_a_ticket():
    assert Ticket("Medea", "Sunday", "A1").lines() == ["         Medea", "Sunday, seat A1"]


def test_a_title_too_long_for_the_roll():
    assert Ticket("A Midsummer Night's Dream", "Monday", "C9").heading() == "A Midsummer Night's Dre."


def test_a_whole_plan():
    assert plan("Medea", {"A": {1, 3}, "B": set()}, 4) == ["           * Medea *", "A xoxo", "B oooo"]


def test_plan_of_a_short_title():
    assert plan("If", {}, 9) == ["             * If *"]


def test_the_agreed_word():
    assert centred("odd", columns=8) == "  odd"
    with pytest.raises(TypeError):
        centred("odd", width=8)


def test_a_row_of_seats():
    assert row("D", {2}, 3) == "D oxo"


def test_cutting():
    assert [cut("drama", columns=columns) for columns in (6, 5, 4)] == ["drama", "drama", "dra."]
