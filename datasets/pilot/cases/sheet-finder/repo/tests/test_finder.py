from mapcase.finder import sheets_for
from mapcase.sheet import Sheet

SERIES = [Sheet("A", 0, 0), Sheet("B", 40, 0)]


def test_gallows_hill():
    assert sheets_for(SERIES, 40, 10) == ["B"]


def test_far_inside_a_sheet():
    assert sheets_for(SERIES, 17, 23) == ["A"]


def test_western_edge():
    assert sheets_for(SERIES, 0, 10) == ["A"]
