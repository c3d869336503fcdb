from quizleague.evening import winners


def test_winner_of_an_evening():
    assert winners({"Anvils": 21, "Landlords": 30, "Brass Tacks": 19}) == ["Landlords"]
