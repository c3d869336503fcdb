# canary-pilot-9536001f5c7c7681e8b9f531ffece547
from dataclasses import fields

import pytest

from giftshop.catalogue import Catalogue, Item, Order
from giftshop.checkout import change, friends_price, order_total
from giftshop.slip import slip

BOOK, PIN = Item("book", 2495), Item("pin", 310)


def test_two_of_the_same():
    assert order_total(Order([PIN, PIN, BOOK])) == 3115
    assert order_total(Order([PIN])) == 310


def test_friends_pay_less():
    assert order_total(Order([BOOK], friend=True)) == 2245


def test_change_for_a_note():
    assert change(Order([PIN, BOOK]), 5000) == 2195
    assert change(Order([BOOK]), 2495) == 0
    with pytest.raises(ValueError):
        change(Order([PIN]), 309)


def test_the_slip():
    assert slip(Order([PIN, BOOK], friend=True)) == ["pin 310", "book 2495", "total 2524"]


def test_rounding_for_friends():
    assert [friends_price(pence) for pence in (0, 9, 10, 99)] == [0, 8, 9, 89]


def test_an_item_has_two_fields():
    assert [each.name for each in fields(Item)] == ["name", "price"]


def test_unknown_articles():
    with pytest.raises(LookupError):
        Catalogue([BOOK]).find("pin")
