from hothouse.readings import parse


def test_parse():
    assert tuple(parse("ferns;615;71.5\n")) == ("ferns", 615, 71.5)
