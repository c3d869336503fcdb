# canary-pilot-cbb6c7ae79a1d92d7aa2889ee71cc343
import pytest

from matchday.clock import playing_time
from matchday.match import Match, still_open
from matchday.states import after


def entered(*happenings):
    match = Match("Ash", "Elm")
    for happening in happenings:
        match.happens(*happening)
    return match


def test_tea_does_not_count():
    match = entered((1080, "kick_off"), (1100, "halt"), (1131, "resume"), (1171, "final_whistle"))
    assert (match.state, playing_time(match.log)) == ("finished", 60)


def test_halted_three_times():
    log = [(0, "kick_off"), (11, "halt"), (14, "resume"), (27, "halt"), (50, "resume"), (52, "halt"), (60, "resume")]
    assert playing_time(log) == 26
    assert playing_time([*log, (95, "final_whistle")]) == 61


def test_given_up_after_all():
    match = entered((600, "kick_off"), (607, "halt"), (615, "resume"), (640, "halt"), (655, "abandon"))
    assert match.line() == "Ash - Elm: void, 32 min"
    with pytest.raises(ValueError):
        match.happens(656, "resume")


def test_never_played():
    match = entered((500, "postpone"), (900, "abandon"))
    assert (match.state, match.line()) == ("void", "Ash - Elm: void, 0 min")


def test_lines_of_a_saturday():
    resumed = entered((700, "kick_off"), (733, "halt"), (740, "resume"))
    over = entered((700, "kick_off"), (760, "final_whistle"))
    assert still_open([resumed, over, entered()]) == ["Ash - Elm: live, 33 min", "Ash - Elm: scheduled, 0 min"]


def test_halted_once_and_given_up():
    assert entered((600, "kick_off"), (645, "halt"), (700, "abandon")).line() == "Ash - Elm: void, 45 min"


def test_put_off_and_played():
    match = entered((500, "postpone"), (510, "reschedule"), (900, "kick_off"), (958, "final_whistle"))
    assert match.line() == "Ash - Elm: finished, 58 min"
    assert still_open([match]) == []


def test_what_is_not_in_the_list():
    for state, event in (("live", "resume"), ("scheduled", "abandon"), ("finished", "halt"), ("postponed", "kick_off")):
        with pytest.raises(ValueError):
            after(state, event)
