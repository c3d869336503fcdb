from stride.clock import seconds


def test_reading_a_stop_watch():
    assert seconds("1:02:30") == 3750
