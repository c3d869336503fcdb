# canary-pilot-fa7addd33efc26fe69bca4defee48529
import pytest

from gazette.archive import page
from gazette.navigation import links, whole_archive

DIGITS = list(range(100, 123))


def test_middle_and_last_page():
    assert page(DIGITS, 2, size=4) == [104, 105, 106, 107]
    assert page(DIGITS[:12], 3, size=4) == [108, 109, 110, 111]


def test_one_article_to_a_page():
    assert [page(["x", "y"], number, size=1) for number in (1, 2)] == [["x"], ["y"]]


def test_the_usual_size():
    assert page(DIGITS, 2) == [110, 111, 112, 113, 114, 115, 116, 117, 118, 119]


def test_pages_under_their_addresses():
    assert whole_archive("spring", 4) == {"/archive": "spri", "/archive/2": "ng"}


def test_a_page_that_is_not_full():
    assert page(DIGITS, 3, size=10) == [120, 121, 122]
    assert page(["only"], 1) == ["only"]


def test_an_empty_archive():
    assert page([], 1) == []
    assert whole_archive([], 5) == {"/archive": []}


def test_beyond_the_last_page():
    with pytest.raises(IndexError):
        page(DIGITS, 4)
    with pytest.raises(IndexError):
        page([], 2)


def test_links_to_neighbours():
    assert links(23, 2) == ["/archive", "/archive/3"]
    assert links(23, 3) == ["/archive/2"]
