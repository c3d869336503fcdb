from cutroom.timecode import frames_at, timecode


class TestTimecode:
    def test_an_hour(self):
        assert timecode(90_000) == "01:00:00:00"

    def test_reading(self):
        assert frames_at("00:02:10:07") == 3257
