from stride.pace import pace


def test_five_kilometres():
    assert pace(1500, 5) == 300.0


def test_one_kilometre():
    assert pace(241, 1) == 241.0
