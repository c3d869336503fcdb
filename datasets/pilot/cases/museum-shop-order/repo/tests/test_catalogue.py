from giftshop.catalogue import Catalogue, Item


def test_find_by_name():
    shelves = Catalogue([Item("mug", 900), Item("pencil", 80)])
    found = shelves.find("pencil")
    assert (found.name, found.price) == ("pencil", 80)
