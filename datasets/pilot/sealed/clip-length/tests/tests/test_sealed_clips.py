# canary-pilot-ac818c523198b8691ecebd031d6f9260
import pytest

from cutroom.clip import Clip, read_clip
from cutroom.reel import cues, footage, running_time
from cutroom.timecode import frames_at, timecode

LINES = ["A 120-1264", "C 7-7", "A 2001-4337", "B 88-90"]


def clips():
    return [read_clip(line) for line in LINES]


def test_lengths():
    assert [clip.frames for clip in clips()] == [1145, 1, 2337, 3]
    assert Clip("D", 0, 0).frames == 1


def test_a_reel_of_four():
    assert running_time(clips()) == "00:02:19:11"
    assert running_time(clips()[1:2]) == "00:00:00:01"


def test_cues_for_the_musicians():
    assert cues(clips()) == ["00:00:00:00", "00:00:45:20", "00:00:45:21", "00:02:19:08"]


def test_feet_and_frames():
    assert [footage(clips()), footage(clips()[:1])] == ["217+14", "71+9"]


def test_a_reel_of_nothing():
    assert running_time([]) == "00:00:00:00"
    assert footage([]) == "0+0"
    assert cues([]) == []


def test_an_end_before_the_beginning():
    with pytest.raises(ValueError):
        read_clip("A 300-299")


def test_there_and_back():
    assert [timecode(frames) for frames in (24, 25, 137_642)] == ["00:00:00:24", "00:00:01:00", "01:31:45:17"]
    assert frames_at("01:31:45:17") == 137_642
