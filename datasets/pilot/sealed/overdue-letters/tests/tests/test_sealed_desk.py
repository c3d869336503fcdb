# canary-pilot-d471b37793d36ad708930875507abbca
import pytest

from lendingdesk.letter import letter
from lendingdesk.loan import Loan
from lendingdesk.overview import overview, readers_to_write_to
from lendingdesk.tariff import fee

SHELF = [
    Loan("Ines", "Harbour Lights", "film", 96),
    Loan("Ines", "Peat Bogs", "map", 80),
    Loan("Otto", "Beekeeping", "book", 99),
    Loan("Ines", "Dry Stone Walls", "book", 104),
    Loan("Abel", "Knots", "book", 69),
]


def test_several_kinds_in_one_letter():
    lines = letter("Ines", SHELF[:2], 100)
    assert lines == ["Dear Ines", "Peat Bogs (20 days)", "Harbour Lights (4 days)", "To pay: 4.65"]


def test_loans_in_time_are_not_listed():
    assert letter("Ines", SHELF, 97) == ["Dear Ines", "Peat Bogs (17 days)", "Harbour Lights (1 days)", "To pay: 1.50"]


def test_late_within_the_days_of_grace():
    assert letter("Otto", SHELF, 101) == ["Dear Otto", "Beekeeping (2 days)", "To pay: 0.00"]


def test_longest_on_the_screen():
    assert overview(SHELF, 100) == "4 late, longest 31 days"
    assert overview(SHELF[2:4], 106) == "2 late, longest 7 days"


def test_screen_on_a_quiet_day():
    assert overview(SHELF, 69) == "0 late, longest 0 days"
    assert overview([], 500) == "0 late, longest 0 days"


def test_who_gets_a_letter():
    assert readers_to_write_to(SHELF, 100) == ["Abel", "Ines", "Otto"]
    assert readers_to_write_to(SHELF, 90) == ["Abel", "Ines"]


def test_kinds_outside_the_tariff():
    assert [fee("film", 3), fee("map", 27), fee("map", 7)] == [300, 100, 0]
    with pytest.raises(LookupError):
        fee("harp", 2)
