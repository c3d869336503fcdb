# canary-pilot-f5973a2d050ab34b57f0a6b4e53ec094
from townhall.ballots import count_ballots
from townhall.report import announcement, turnout
from townhall.seats import majority, seats

CLUB = {"Harbour": 10, "Open Water": 9}


def test_one_seat_by_a_hair():
    recount = {"Oak": 2891, "Ash": 1437, "Elm": 661, "Yew": 865}
    assert seats(recount, 21) == {"Oak": 10, "Ash": 5, "Elm": 3, "Yew": 3}


def test_two_seats_left_over():
    votes = {"Oak": 747, "Ash": 1870, "Elm": 3127, "Yew": 4732}
    assert seats(votes, 21) == {"Oak": 2, "Ash": 4, "Elm": 6, "Yew": 9}


def test_fewer_votes_than_seats():
    assert seats({"Oak": 2, "Ash": 1}, 5) == {"Oak": 3, "Ash": 2}
    assert seats({"Oak": 0, "Ash": 3}, 7) == {"Oak": 0, "Ash": 7}


def test_announcement_of_the_club():
    assert announcement({"Ebb": 4, **CLUB}, 10) == ["Harbour: 4", "Open Water: 4", "Ebb: 2"]
    assert majority({**CLUB, "Ebb": 0}, 10) == ""


def test_equal_rests_go_to_the_larger_list():
    assert seats({"Oak": 192, "Ash": 576}, 10) == {"Oak": 2, "Ash": 8}
    assert seats({"Oak": 513, "Ash": 171}, 10) == {"Oak": 8, "Ash": 2}


def test_equal_lists_as_handed_in():
    assert seats({"Oak": 50, "Ash": 50, "Elm": 50}, 4) == {"Oak": 2, "Ash": 1, "Elm": 1}
    assert seats({"Elm": 0, "Ash": 0}, 9) == {"Elm": 0, "Ash": 0}


def test_more_than_half():
    assert majority({"Oak": 100, "Ash": 300}, 8) == "Ash"
    assert majority({"Oak": 400, "Ash": 400}, 8) == ""


def test_ballots_are_counted():
    assert count_ballots(["Oak", " Ash", "Oak ", "", "oak"], ["Ash", "Oak"]) == ({"Ash": 1, "Oak": 2}, 2)
    assert turnout({"Ash": 1, "Oak": 2}, 2, 16) == "31.2 %"
