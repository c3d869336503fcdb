from borderform.form import problems
from borderform.item import Item

TRUNK = Item("4202.11", "trunk", 1, 6400, 12_500)
TEA = Item("0902.30", "tea", 0, 500, 1800)


def test_two_items_are_not_in_order():
    assert problems([TRUNK, Item("2501.00", "salt", 0, 0, 90), TEA, Item("6911.10", "cups", 6, 1450, 0)]) == [
        "item 2: weight",
        "item 4: value",
    ]


def test_a_crate_in_order():
    assert problems([TEA, TRUNK]) == []


def test_a_code_that_does_not_exist():
    assert problems([TEA, Item("0000.00", "ghost", 1, 20, 30)]) == ["item 2: code"]
