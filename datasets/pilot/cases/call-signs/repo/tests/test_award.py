from hamlog.award import points


def test_points_of_an_evening():
    assert points(["G4AA", "F6BB", "K1CC", "G3DD", "XX9"], "Europe") == 5
