from permalink import slugify


def test_punctuation():
    assert slugify("Budget 2031: what's next?") == "budget-2031-whats-next"


def test_repeated_separators():
    assert slugify("Rain  --  and more rain") == "rain-and-more-rain"


def test_plain_words():
    assert slugify("Mayor opens bridge") == "mayor-opens-bridge"
