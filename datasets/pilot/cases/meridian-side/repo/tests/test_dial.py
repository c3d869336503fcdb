from nightplan.dial import minutes, reading


def test_dial_reading():
    assert (minutes("6:30"), reading(390)) == (390, "6:30")
