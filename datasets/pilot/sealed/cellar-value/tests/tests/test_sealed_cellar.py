# canary-pilot-1230c5c4a63e4861499f01628bc49630
import pytest

from cellarbook import Cellar, PriceList
from cellarbook.insurance import premium, statement


def priced(**cents):
    made = PriceList()
    for wine, each in cents.items():
        made.set(wine, each)
    return made


def test_bottle_by_bottle():
    rack = Cellar(priced(Barolo=4390))
    rack.add("Barolo", 4)
    values = []
    for _ in range(4):
        values.append(rack.value())
        rack.drink("Barolo")
    assert [*values, rack.value()] == [17560, 13170, 8780, 4390, 0]


def test_one_wine_for_another():
    rack = Cellar(priced(Barolo=4390, Sylvaner=985))
    rack.add("Barolo", 5)
    assert statement("house", rack) == "house: 5 bottles, 219.50"
    rack.drink("Barolo", 3)
    assert statement("house", rack) == "house: 2 bottles, 87.80"
    rack.add("Sylvaner")
    rack.drink("Barolo")
    assert statement("house", rack) == "house: 2 bottles, 53.75"


def test_new_prices():
    listed = priced(Malbec=1575)
    rack = Cellar(listed)
    rack.add("Malbec", 7)
    at_first = rack.value()
    listed.set("Malbec", 1629)
    assert [at_first, rack.value()] == [11025, 11403]


def test_two_cellars_and_a_list():
    listed = priced(Rioja=1285, Fino=876)
    town, country = Cellar(listed), Cellar(listed)
    town.add("Rioja", 31)
    country.add("Fino", 58)
    assert premium([town, country]) == 363
    listed.set("Fino", 941)
    town.drink("Rioja", 12)
    assert premium([country, town]) == 316


def test_asking_twice():
    listed = priced(Rioja=1285, Fino=876, Tokaj=5230)
    rack = Cellar(listed)
    for wine in ("Rioja", "Fino", "Tokaj"):
        rack.add(wine, 2)
    assert [rack.value(), rack.value(), premium([rack])] == [14782, 14782, 60]
    assert listed.asked == 3


def test_adding_after_asking():
    rack = Cellar(priced(Rioja=1285, Fino=876))
    rack.add("Rioja", 9)
    at_first = rack.value()
    rack.add("Fino", 13)
    assert (at_first, rack.value(), rack.bottles()) == (11565, 22953, 22)


def test_what_cannot_be_drunk():
    rack = Cellar(priced(Rioja=1285))
    rack.add("Rioja", 3)
    with pytest.raises(ValueError):
        rack.drink("Rioja", 4)
    with pytest.raises(ValueError):
        rack.drink("Fino")
    assert (rack.drink("Rioja", 0), rack.value()) == (3, 3855)
