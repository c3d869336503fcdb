# canary-pilot-3140fdda946c876e6cb428a4079a5bfb
from wellshare.house import House
from wellshare.letters import amount, letters
from wellshare.split import split, yearly

VILLAGE = [House("cot", 3), House("school", 4), House("inn", 5), House("barn", 4), House("manor", 7)]


def test_most_gained_comes_first():
    houses = [House("a", 3), House("b", 2), House("c", 2)]
    assert split(10_001, houses) == {"a": 4286, "b": 2858, "c": 2857}


def test_several_cents_are_missing():
    assert split(98_765, VILLAGE) == {"cot": 12882, "school": 17177, "inn": 21471, "barn": 17176, "manor": 30059}


def test_halves_of_a_cent():
    assert split(12_345, [House("left"), House("right")]) == {"left": 6173, "right": 6172}
    assert split(12_347, [House("left"), House("right")]) == {"left": 6174, "right": 6173}


def test_a_year_of_bills():
    bills = [98_765, 10_001, 25_433]
    assert yearly(bills, VILLAGE) == {"cot": 17504, "school": 23339, "inn": 29174, "barn": 23338, "manor": 40844}


def test_letters_of_a_year():
    houses = [House("dairy", 2), House("kiln", 2), House("ferry", 3)]
    assert letters([1_234_567, 89], houses) == [
        "dairy (2): 3 527.60",
        "kiln (2): 3 527.58",
        "ferry (3): 5 291.38",
    ]


def test_nothing_is_missing():
    assert split(69_023, VILLAGE) == {"cot": 9003, "school": 12004, "inn": 15005, "barn": 12004, "manor": 21007}


def test_a_house_without_shares():
    assert split(4_321, [House("ruin", 0), House("mill", 2)]) == {"ruin": 0, "mill": 4321}


def test_small_amounts():
    shown = [amount(cents) for cents in (0, 7, 1_000, 99_999, 100_000)]
    assert shown == ["0.00", "0.07", "10.00", "999.99", "1 000.00"]
