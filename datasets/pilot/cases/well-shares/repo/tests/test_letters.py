from wellshare.letters import amount


def test_amount():
    assert amount(1_234_567) == "12 345.67"
