"""Timecode at 25 frames a second."""

FPS = 25


def timecode(frames):
    """Frames from the beginning, as hh:mm:ss:ff."""
    seconds, frame = divmod(frames, FPS)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}:{second:02d}:{frame:02d}"


def frames_at(text):
    """Frames from the beginning of hh:mm:ss:ff."""
    hour, minute, second, frame = (int(part) for part in text.split(":"))
    return ((hour * 60 + minute) * 60 + second) * FPS + frame
