from quizleague.standings import standings


def test_three_level_teams():
    first = {"Copper Kettle": 20, "Anvils": 21, "Landlords": 30, "Brass Tacks": 19}
    second = {"Brass Tacks": 22, "Copper Kettle": 21, "Anvils": 20, "Landlords": 25}
    assert standings([first, second]) == ["Landlords", "Anvils", "Brass Tacks", "Copper Kettle"]


def test_points_first():
    assert standings([{"Anvils": 11, "Brass Tacks": 17, "Copper Kettle": 14}]) == [
        "Brass Tacks",
        "Copper Kettle",
        "Anvils",
    ]
