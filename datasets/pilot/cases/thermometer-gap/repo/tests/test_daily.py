from metstation.daily import mean


def test_mean_of_a_day_with_a_dash():
    assert mean([(6, 0.0), (12, 6.0), (18, None)]) == 3.0


def test_mean_of_a_whole_day():
    assert mean([(0, -2.0), (6, -4.5), (12, 5.0), (18, 3.0)]) == 0.375
