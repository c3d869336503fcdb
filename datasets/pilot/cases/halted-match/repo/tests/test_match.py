import pytest

from matchday.match import Match


def test_lights_are_on_again():
    match = Match("Moor Lane", "Weir")
    states = [match.happens(1080, "kick_off"), match.happens(1100, "halt"), match.happens(1131, "resume")]
    assert states == ["live", "halted", "live"]


def test_an_ordinary_match():
    match = Match("Moor Lane", "Weir")
    assert [match.happens(900, "kick_off"), match.happens(960, "final_whistle")] == ["live", "finished"]


def test_no_whistle_before_kick_off():
    with pytest.raises(ValueError):
        Match("Moor Lane", "Weir").happens(900, "final_whistle")
