# canary-pilot-7342c8d4658d1b7e3021978a1e95df1a
from till.basket import Basket
from till.receipt import gross, tax, tax_by_category, total


def test_tax_on_goods_alone():
    assert tax(60.0, "goods") == 15.0
    assert tax(8.0, "goods") == 2.0


def test_a_basket_of_mixed_articles():
    basket = Basket().add("apron", 200.0, "goods").add("tart", 20.0, "food").add("gazette", 3.0, "newspaper")
    assert total(basket) == 276.0


def test_tax_lines_of_a_mixed_basket():
    basket = Basket().add("mug", 40.0, "goods").add("mug", 80.0, "goods").add("bun", 10.0, "food")
    assert tax_by_category(basket) == {"goods": 30.0, "food": 1.5}


def test_food_keeps_its_rate():
    assert tax(100.0, "food") == 15.0
    assert gross(20.0, "food") == 23.0


def test_newspapers_stay_untaxed():
    assert gross(7.5, "newspaper") == 7.5
    assert tax(7.5, "newspaper") == 0.0


def test_an_empty_basket():
    assert total(Basket()) == 0
    assert tax_by_category(Basket()) == {}
