"""A birdwatcher's diary."""

from fieldnotes.diary import Diary

__all__ = ["Diary"]
