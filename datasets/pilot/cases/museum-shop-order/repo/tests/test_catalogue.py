from giftshop.catalogue import Catalogue, Item


def test_find_by_name():
    shelves = Catalogue([Item("mug", 900), Item("pencil", 80)])
    assert shelves.find("pencil") == Item("pencil", 80)
