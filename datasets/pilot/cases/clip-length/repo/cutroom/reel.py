"""Reels to be projected."""

from cutroom.timecode import timecode

FRAMES_A_FOOT = 16


def running_time(clips):
    """How long it takes to show all clips."""
    return timecode(sum(clip.frames for clip in clips))


def cues(clips):
    """When each clip begins."""
    at, found = 0, []
    for clip in clips:
        found.append(timecode(at))
        at += clip.frames
    return found


def footage(clips):
    """Length of the film as feet+frames."""
    feet, frames = divmod(sum(clip.frames for clip in clips), FRAMES_A_FOOT)
    return f"{feet}+{frames}"
