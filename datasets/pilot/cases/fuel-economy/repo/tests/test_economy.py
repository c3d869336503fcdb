from carclub.economy import litres_per_100_km, miles_per_gallon
from carclub.fills import Fill, litres_burnt


def test_the_small_car_in_march():
    assert miles_per_gallon(400, 42) == 43.3


def test_the_same_month_metric():
    assert litres_per_100_km(400, 42) == 6.5


def test_first_fill_is_the_start():
    assert litres_burnt([Fill(18_200, 40.0), Fill(18_560, 33.5), Fill(18_700, 12.0)]) == 45.5
