from drivetrain.ratios import metres_a_turn, ratio


def test_ratio():
    assert round(ratio(50, 11), 3) == 4.545


def test_one_turn():
    assert metres_a_turn(48, 16, 2096) == 6.29
