from metstation.logger import read_day


def test_lines_of_the_logger():
    assert read_day("12 -\n6 -1.5\n") == [(6, -1.5), (12, None)]
