from townhall.report import turnout


def test_turnout():
    assert turnout({"Harbour": 10, "Open Water": 9}, 1, 25) == "80.0 %"
