from brewhouse.gravity import attenuation


def test_attenuation():
    assert attenuation(1080, 1020) == 0.75
    assert attenuation(1000, 1000) == 0.0
