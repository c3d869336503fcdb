import pytest

from warmhouse import House


def test_lounge_and_nursery():
    house = House()
    house.add("lounge", "living")
    house.add("nursery", "living", target=23.0)
    assert house.temperature("lounge", 7) == 21.0


def test_night_in_the_lounge():
    house = House()
    house.add("lounge", "living")
    assert [house.temperature("lounge", hour) for hour in (5, 6, 8, 9)] == [16.5, 21.0, 21.0, 16.5]


def test_a_profile_that_is_not_there():
    with pytest.raises(LookupError):
        House().add("attic", "tropical")
