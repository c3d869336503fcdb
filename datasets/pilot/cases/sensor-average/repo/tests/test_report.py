from hothouse.readings import Reading
from hothouse.report import bed_line, evening_report

DAY = [Reading("ferns", 600, 70.0), Reading("ferns", 660, 73.0)]


def test_silent_bed():
    assert bed_line("orchids", DAY) == "orchids: mean 0.0, swing 0.0"


def test_bed_with_readings():
    assert evening_report(["ferns"], DAY) == "ferns: mean 71.5, swing 3.0"
