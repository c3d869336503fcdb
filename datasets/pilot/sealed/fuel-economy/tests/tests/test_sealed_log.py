# canary-pilot-2a46eff1dbf1150f1e9bd423b305ff5f
from carclub.economy import gallon_price, litres_per_100_km, miles_per_gallon
from carclub.fills import Fill, litres_burnt, miles_driven
from carclub.logbook import month
from carclub.units import gallons, kilometres


def test_other_months():
    driven = [(1000, 60), (2750, 100), (9000, 410.7), (87, 13.2)]
    assert [miles_per_gallon(miles, litres) for miles, litres in driven] == [75.8, 125.0, 99.6, 30.0]


def test_litres_as_gallons():
    assert round(gallons(100), 4) == 21.9974
    assert round(gallons(7.5), 4) == 1.6498


def test_a_gallon_at_the_pump():
    assert [gallon_price(pence) for pence in (148.9, 163.4)] == [676.9, 742.8]


def test_a_month_in_a_line():
    fills = [Fill(51_004, 38.2), Fill(51_377, 39.6), Fill(51_820, 47.3)]
    assert month(fills) == "816 miles on 19.12 gallons, 42.7 mpg"


def test_metric_figures():
    assert [litres_per_100_km(miles, litres) for miles, litres in [(1000, 60), (87, 13.2)]] == [3.7, 9.4]


def test_miles_as_kilometres():
    assert kilometres(250) == 402.25


def test_between_first_and_last_fill():
    fills = [Fill(7_310, 50.0), Fill(7_699, 41.25), Fill(8_102, 44.5)]
    assert (miles_driven(fills), litres_burnt(fills)) == (792, 85.75)
