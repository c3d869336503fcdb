from pressroom.selection import selection


def test_two_to_five():
    assert selection("2-5", 80) == [2, 3, 4, 5]


def test_single_pages():
    assert selection("3, 8", 80) == [3, 8]
