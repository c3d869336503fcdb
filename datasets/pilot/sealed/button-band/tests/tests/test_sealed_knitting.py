# canary-pilot-03342bfc4cddb13de53e075a68de6a41
import pytest

from cardigan.band import gaps, places
from cardigan.chart import button_rows, chart
from cardigan.needles import row_at, stitches


def test_eight_buttons_evenly():
    assert places(420, 8, 35) == [35, 85, 135, 185, 235, 285, 335, 385]


def test_two_buttons_at_the_ends():
    assert places(300, 2, 12) == [12, 288]
    assert places(91, 2, 0) == [0, 91]


def test_step_that_is_not_whole():
    assert places(500, 7, 20) == [20, 97, 173, 250, 327, 403, 480]
    assert places(200, 4, 25) == [25, 75, 125, 175]


def test_distances_between_buttons():
    assert gaps(640, 6, 45) == [110, 110, 110, 110, 110]
    assert gaps(100, 4, 0) == [33, 34, 33]


def test_rows_with_a_buttonhole():
    assert button_rows(420, 3, 30, 25) == [8, 53, 98]
    assert chart(260, 5, 10, 30) == "5 buttonholes in rows 4, 22, 40, 58, 76"


def test_bands_that_are_refused():
    for band in ((400, 0, 10), (400, 1, 10), (70, 3, 35), (70, 3, 36)):
        with pytest.raises(ValueError):
            places(*band)


def test_stitches_and_rows():
    assert [stitches(width, 21) for width in (400, 95, 0)] == [84, 20, 0]
    assert [row_at(place, 32) for place in (0, 50, 101)] == [1, 17, 33]
