from townhall.seats import seats


def test_committee_of_the_dinghy_club():
    assert seats({"Harbour": 10, "Open Water": 9}, 10) == {"Harbour": 5, "Open Water": 5}


def test_votes_that_divide_evenly():
    assert seats({"Mill": 300, "Hill": 200, "Dale": 500}, 20) == {"Mill": 6, "Hill": 4, "Dale": 10}


def test_nobody_voted():
    assert seats({"Mill": 0, "Hill": 0}, 5) == {"Mill": 0, "Hill": 0}
