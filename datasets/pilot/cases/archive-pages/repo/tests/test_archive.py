import pytest

from gazette.archive import page, page_count

LETTERS = ["a", "b", "c", "d", "e", "f", "g"]


def test_first_page():
    assert page(LETTERS, 1, size=3) == ["a", "b", "c"]


def test_number_of_pages():
    assert [page_count(length, 3) for length in (0, 3, 4, 7)] == [1, 1, 2, 3]


def test_page_zero():
    with pytest.raises(IndexError):
        page(LETTERS, 0, size=3)
