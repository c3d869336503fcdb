import pytest

from till.basket import Basket
from till.receipt import gross, total


def test_a_mug_on_the_receipt():
    assert gross(100.0, "goods") == 125.0


def test_a_loaf_on_the_receipt():
    basket = Basket().add("loaf", 40.0, "food").add("roll", 10.0, "food")
    assert total(basket) == 57.5


def test_an_unknown_category_is_refused():
    with pytest.raises(ValueError):
        gross(1.0, "jewellery")
