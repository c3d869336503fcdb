import pytest

from cellarbook import Cellar, PriceList


def stocked():
    prices = PriceList()
    prices.set("Riesling", 1850)
    prices.set("Gamay", 1240)
    cellar = Cellar(prices)
    cellar.add("Riesling", 6)
    cellar.add("Gamay", 3)
    return cellar


def test_two_bottles_less():
    cellar = stocked()
    before = cellar.value()
    cellar.drink("Riesling", 2)
    assert (before, cellar.value()) == (14820, 11120)


def test_value_of_two_wines():
    assert stocked().value() == 14820


def test_more_than_there_is():
    with pytest.raises(ValueError):
        stocked().drink("Gamay", 4)
