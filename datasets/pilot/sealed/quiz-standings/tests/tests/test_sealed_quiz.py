# canary-pilot-9df5e547a2051c6449246862949a7f36
from quizleague.evening import winners, wins_of
from quizleague.letter import letter
from quizleague.standings import places, standings

SEASON = [
    {"Wise Owls": 24, "the Understudies": 24, "Zeroes": 17, "Magpies": 31, "All Sorts": 19},
    {"Wise Owls": 27, "the Understudies": 27, "Zeroes": 23, "Magpies": 18, "All Sorts": 20},
    {"Wise Owls": 12, "the Understudies": 12, "Zeroes": 24, "Magpies": 14, "All Sorts": 21},
]


def test_evenings_won_come_before_names():
    first = {"Dots": 30, "Aces": 30, "Bees": 33, "Cobs": 12}
    second = {"Dots": 35, "Aces": 35, "Bees": 32, "Cobs": 40}
    third = {"Dots": 9, "Aces": 9, "Bees": 9, "Cobs": 22}
    assert standings([first, second, third]) == ["Cobs", "Bees", "Aces", "Dots"]


def test_capital_letters_make_no_difference():
    assert standings([{"Nettles": 8, "mustard": 8, "Onions": 8}]) == ["mustard", "Nettles", "Onions"]


def test_shared_places():
    placed = places(SEASON)
    assert placed[:3] == [(1, "Zeroes"), (2, "Magpies"), (2, "the Understudies")]
    assert placed[3:] == [(2, "Wise Owls"), (5, "All Sorts")]


def test_letter_to_the_teams():
    assert letter(SEASON) == [
        "1. Zeroes 64 (1)",
        "2. Magpies 63 (1)",
        "2. the Understudies 63 (1)",
        "2. Wise Owls 63 (1)",
        "5. All Sorts 60 (0)",
    ]


def test_no_two_are_level():
    assert standings([{"Aces": 3, "Bees": 25, "Cobs": 14}, {"Aces": 40, "Cobs": 2}]) == ["Aces", "Bees", "Cobs"]
    assert letter([{"Aces": 12}, {"Aces": 7, "Bees": 9}]) == ["1. Aces 19 (1)", "2. Bees 9 (1)"]


def test_an_evening_with_two_winners():
    assert winners(SEASON[1]) == ["Wise Owls", "the Understudies"]
    assert [wins_of(team, SEASON) for team in ("Zeroes", "Magpies", "nobody")] == [1, 1, 0]


def test_before_the_first_evening():
    assert places([]) == []
