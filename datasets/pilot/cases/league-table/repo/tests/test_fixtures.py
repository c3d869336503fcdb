from fivesides.fixtures import Fixture, clubs


def test_clubs():
    assert clubs([Fixture("Stags", "Harriers"), Fixture("Ravens", "Stags")]) == ["Harriers", "Ravens", "Stags"]
