from giftshop.catalogue import Item, Order
from giftshop.checkout import order_total


def test_a_poster_and_a_postcard():
    assert order_total(Order([Item("poster", 1600), Item("postcard", 150)])) == 1750


def test_nothing_bought():
    assert order_total(Order()) == 0
