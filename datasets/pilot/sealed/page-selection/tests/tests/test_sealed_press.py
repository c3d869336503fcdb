# canary-pilot-f90775969c6bd1a05849cad70df7e44d
import pytest

from pressroom.selection import selection
from pressroom.ticket import ticket


def test_up_to_the_end_of_the_document():
    assert selection("10-", 12) == [10, 11, 12]
    assert selection("46-", 46) == [46]


def test_every_second_page():
    assert selection("1-9/2", 10) == [1, 3, 5, 7, 9]
    assert selection("4-/3", 13) == [4, 7, 10, 13]


def test_stretch_of_one_page():
    assert selection("7-7", 7) == [7]
    assert selection("5-6", 10) == [5, 6]


def test_parts_in_their_order():
    assert selection("20-22,1-3, 21", 30) == [20, 21, 22, 1, 2, 3, 21]


def test_ticket_of_a_thesis():
    assert ticket("1-95", 95, both_sides=True) == "[1-95] 95 pages, both sides, 6.66"


def test_steps_that_miss_the_last_page():
    assert selection("1-8/2", 10) == [1, 3, 5, 7]
    assert selection("2-10/5", 10) == [2, 7]


def test_pages_that_are_not_there():
    for text in ("0", "9-14", "13"):
        with pytest.raises(ValueError):
            selection(text, 12)


def test_ticket_of_single_pages():
    assert ticket("3,8,3", 9) == "[3,8,3] 3 pages, one side, 0.24"
