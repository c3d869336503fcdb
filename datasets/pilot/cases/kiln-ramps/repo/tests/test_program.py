from stoneware.program import segment


def test_speed_of_a_ramp():
    assert segment("180 to cone 06, hold 10") == (100, 999, 10)


def test_where_the_ramp_ends():
    assert segment("300 to 2012, hold 0")[1:] == (1100, 0)
