# canary-pilot-3f26dae5b95534474862a13fe1c0dab0
from borderform.checks import objections
from borderform.form import columns_to_mend, problems, totals
from borderform.item import Item

CHAIR = Item("9403.60", "chair", 2, 7310, 15_640)
BLANK = Item("", "  ", 0, 0, 0)
CRATE = [
    Item("9403.60", "", 0, 8200, 11_990),
    CHAIR,
    Item("6911.10", "plates", 12, -5, 4_735),
    Item("6911", "bowls", 4, 2130, 0),
    Item("2501.00", "salt", 0, 0, 64),
]


def test_everything_about_one_item():
    assert objections(BLANK) == ["code", "description", "weight", "value"]
    assert objections(Item("4202.11", "", 0, 0, 5)) == ["description", "pieces", "weight"]


def test_a_long_crate():
    assert problems(CRATE) == [
        "item 1: description",
        "item 1: pieces",
        "item 3: weight",
        "item 4: code",
        "item 4: value",
        "item 5: weight",
    ]


def test_the_same_column_again():
    light = Item("9403.60", "stool", 1, 0, 2_350)
    assert problems([CHAIR] * 11 + [light, CHAIR, light]) == ["item 12: weight", "item 14: weight"]


def test_how_often_each_column():
    assert columns_to_mend(CRATE * 13) == {"description": 13, "pieces": 13, "weight": 26, "code": 13, "value": 13}


def test_one_thing_wrong():
    assert problems([CHAIR, CHAIR, Item("9403.60", "bench", 0, 14_200, 8_990)]) == ["item 3: pieces"]


def test_what_needs_no_pieces():
    assert objections(Item("0902.30", "tea", 0, 1250, 3_475)) == []
    assert objections(Item("4202.11", "case", 0, 1250, 3_475)) == ["pieces"]


def test_totals_of_a_crate():
    assert totals(CRATE) == (17_635, 32_429)


def test_an_empty_crate():
    assert problems([]) == []
    assert totals([]) == (0, 0)
