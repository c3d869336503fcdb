# canary-pilot-090fbfaa8a2447308dc19503a22e4a58
import pytest

from metronome.clicks import clicks
from metronome.song import conductors_list, song_clicks, starts
from metronome.tempo import beat_ms, display


def test_clicks_on_both_sides_of_the_true_moment():
    assert clicks(140, 6) == [0, 429, 857, 1286, 1714, 2143]
    assert clicks(90, 4, 100) == [100, 767, 1433, 2100]


def test_two_hundred_beats():
    assert clicks(140, 201)[200] == 85714
    assert clicks(97, 98)[97] == 60000


def test_sections_of_uneven_tempos():
    assert starts([(140, 7), (90, 3), (70, 1), (70, 5)]) == [0, 3000, 5000, 5857]


def test_many_short_sections():
    assert starts([(140, 1)] * 8) == [0, 429, 857, 1286, 1714, 2143, 2571, 3000]
    assert conductors_list([(70, 2), (90, 1), (66, 4)]) == ["0.000 s: 70", "1.714 s: 90", "2.381 s: 66"]


def test_clicks_through_a_song():
    assert song_clicks([(140, 1), (140, 2), (110, 2)]) == [0, 429, 857, 1286, 1831]


def test_even_tempos_stay_as_they_were():
    assert song_clicks([(60, 2), (125, 3)]) == [0, 1000, 2000, 2480, 2960]
    assert (clicks(200, 0), starts([])) == ([], [])


def test_length_of_a_beat_on_the_display():
    assert [beat_ms(tempo) for tempo in (140, 90, 59)] == [429, 667, 1017]
    assert display(90) == "90 bpm (667 ms)"


def test_tempos_that_are_none():
    with pytest.raises(ValueError):
        beat_ms(-90)
    with pytest.raises(ValueError):
        clicks(0, 4)
    with pytest.raises(ValueError):
        starts([(0, 4), (120, 4)])
