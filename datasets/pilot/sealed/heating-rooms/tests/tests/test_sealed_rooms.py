# canary-pilot-b3dcafc790db7b5b8a4c31e6037cf370
from warmhouse import House


def test_three_targets_from_one_profile():
    house = House()
    for room, target in [("bath", 24.25), ("spa", None), ("sauna", 27.75)]:
        house.add(room, "bath", target=target)
    assert [house.temperature(room, 21) for room in ("bath", "spa", "sauna")] == [24.25, 23.5, 27.75]


def test_earlier_hours_of_one_room():
    house = House()
    house.add("kitchen", "living", earlier=2)
    house.add("hall", "living")
    house.add("studio", "living", target=19.5, earlier=1)
    assert house.warm_hours("kitchen") == "4-9, 15-23"
    assert house.warm_hours("hall") == "6-9, 17-23"
    assert house.warm_hours("studio") == "5-9, 16-23"


def test_a_room_that_comes_later():
    house = House()
    house.add("nursery", "living", target=22.75, earlier=6)
    house.add("parlour", "living")
    assert [house.temperature("parlour", hour) for hour in (3, 6, 12, 17)] == [16.5, 21.0, 16.5, 21.0]


def test_demand_of_a_house():
    house = House()
    house.add("parlour", "living")
    house.add("nursery", "living", target=23.0, earlier=1)
    house.add("cellar", "larder", target=13.25)
    house.add("pantry", "larder")
    assert house.demand(4.25) == {"parlour": 334.5, "nursery": 365.5, "cellar": 186.0, "pantry": 186.0}


def test_changes_of_a_single_room():
    house = House()
    house.add("den", "bath", target=25.125, earlier=5)
    assert house.warm_hours("den") == "0-8, 15-22"
    assert [house.temperature("den", hour) for hour in (0, 8, 15)] == [25.125, 17.0, 25.125]


def test_demand_without_changes():
    house = House()
    house.add("bath", "bath")
    house.add("parlour", "living")
    assert house.demand(-3.75) == {"bath": 530.5, "parlour": 526.5}


def test_two_houses():
    first, second = House(), House()
    first.add("parlour", "living", target=24.5, earlier=3)
    second.add("parlour", "living")
    assert second.temperature("parlour", 18) == 21.0
    assert second.warm_hours("parlour") == "6-9, 17-23"
