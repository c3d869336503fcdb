from cutroom.clip import Clip
from cutroom.reel import running_time


def test_a_minute_to_the_frame():
    assert running_time([Clip("A", 0, 1499)]) == "00:01:00:00"
