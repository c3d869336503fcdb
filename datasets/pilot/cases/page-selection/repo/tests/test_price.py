from pressroom.price import price, sheets


def test_both_sides_of_the_sheet():
    assert [sheets(pages, both_sides=True) for pages in (1, 4, 5)] == [1, 2, 3]
    assert price([3, 4, 5]) == 24
