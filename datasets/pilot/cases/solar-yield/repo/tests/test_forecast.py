from rooftop.forecast import day_wh
from rooftop.form import Roof, read_form


def test_a_clear_day():
    assert day_wh(Roof("south", 4000, 15), 5) == 17000


def test_a_roof_without_losses():
    assert day_wh(Roof("west", 2750), 3.2) == 8800


def test_form():
    roof = read_form("east 1820 W 12.5 %")
    assert (roof.side, roof.peak_watts, roof.loss_percent) == ("east", 1820, 12.5)
