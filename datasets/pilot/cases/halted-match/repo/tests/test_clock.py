from matchday.clock import playing_time


def test_playing_time_of_an_ordinary_match():
    assert playing_time([(900, "kick_off"), (960, "final_whistle")]) == 60
