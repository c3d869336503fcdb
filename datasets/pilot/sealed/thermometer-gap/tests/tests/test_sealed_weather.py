# canary-pilot-4dd07f726aa1e7e0d44dc4e6bbccc9e5
from metstation.daily import lost, mean, warmest
from metstation.logger import read_day
from metstation.summary import coldest_day, summary

PATCHY = "0 -\n3 -1.5\n6 -\n9 2.5\n12 8.0\n15 -\n"


def test_dashes_in_the_morning():
    assert mean(read_day(PATCHY)) == 3.0
    assert mean([(0, None), (12, 7.25)]) == 7.25


def test_more_dashes_than_temperatures():
    assert mean([(0, None), (1, None), (2, -11.5), (3, None), (4, -4.0)]) == -7.75


def test_nothing_but_dashes():
    assert (mean([(0, None), (6, None)]), lost([(0, None), (6, None)])) == (None, 2)
    assert summary("Sunday", [(4, None)]) == "Sunday: mean -, warmest at None (1 lost)"


def test_a_freezing_noon_counts():
    assert mean([(6, None), (12, 0.0), (18, 5.0)]) == 2.5
    assert mean([(0, 0.0), (6, None), (12, -0.0), (18, 9.0)]) == 3.0


def test_summary_of_a_patchy_day():
    assert summary("Monday", read_day(PATCHY)) == "Monday: mean 3.0, warmest at 12 (3 lost)"
    assert coldest_day({"a": [(1, 4.0)], "b": [(1, None), (2, 3.5)], "c": [(1, None)]}) == "b"


def test_summary_of_a_good_day():
    assert summary("Friday", [(0, 1.0), (8, 4.5), (16, 4.5)]) == "Friday: mean 3.3, warmest at 8"


def test_a_day_without_lines():
    assert [mean([]), warmest([]), lost([])] == [None, None, 0]


def test_the_coldest_of_three():
    assert coldest_day({"x": [(1, 2.0), (2, 4.0)], "y": [(1, -1.0)], "z": []}) == "y"
