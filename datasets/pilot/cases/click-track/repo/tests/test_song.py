from metronome.song import starts
from metronome.tempo import display


def test_starts_at_even_tempos():
    assert starts([(120, 8), (60, 4), (100, 10)]) == [0, 4000, 8000]


def test_tempo_on_the_display():
    assert display(140) == "140 bpm (429 ms)"
