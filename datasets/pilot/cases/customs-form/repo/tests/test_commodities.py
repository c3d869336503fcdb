from borderform.commodities import unit_of


def test_unit():
    assert [unit_of(code) for code in ("9403.60", "2501.00", "salt")] == ["pcs", "kg", ""]
