from hamlog.country import country


def test_guadeloupe():
    assert country("FG1XYZ") == "Guadeloupe"


def test_france():
    assert [country(call) for call in ("F5AAA", "f6bbb")] == ["France", "France"]


def test_not_in_the_table():
    assert country("ZS1AB") is None
