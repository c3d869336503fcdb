# canary-pilot-60abf6edd40e55921e1281fd20f5f6a4
from hothouse.figures import mean, share_above, swing
from hothouse.readings import Reading
from hothouse.report import evening_report, wet_beds


def test_nothing_to_average():
    assert mean([]) == 0.0


def test_share_of_nothing():
    assert share_above([], 85.0) == 0.0


def test_silent_beds_are_not_wet():
    readings = [Reading("moss", 1, 90.0), Reading("moss", 2, 95.0), Reading("moss", 3, 60.0)]
    assert wet_beds(["cacti", "moss", "orchids"], readings) == ["moss"]


def test_report_without_any_reading():
    assert evening_report(["a", "b"], []) == "a: mean 0.0, swing 0.0\nb: mean 0.0, swing 0.0"


def test_a_single_reading_is_its_own_average():
    assert mean([64.5]) == 64.5


def test_ordinary_averages():
    assert mean([1, 2, 6]) == 3.0
    assert mean([-4.0, 4.0]) == 0.0
    assert mean([0.5, 1.0]) == 0.75


def test_share_of_ordinary_values():
    assert share_above([80.0, 90.0, 85.0, 99.0], 85.0) == 0.5
    assert swing([66.0, 61.0, 70.5]) == 9.5
