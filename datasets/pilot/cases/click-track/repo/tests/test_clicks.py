from metronome.clicks import clicks


def test_eighth_click_at_140():
    assert clicks(140, 8)[7] == 3000


def test_clicks_at_120():
    assert clicks(120, 4) == [0, 500, 1000, 1500]
