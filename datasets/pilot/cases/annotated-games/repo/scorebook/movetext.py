"""The moves of a game."""

import re

REMARK = re.compile(r"\{.*\}", re.DOTALL)
NUMBER = re.compile(r"\d+\.+")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")


def moves(text):
    """The moves in order, White's and Black's in turn, without numbers, remarks and result."""
    bare = NUMBER.sub(" ", REMARK.sub(" ", text))
    return [word for word in bare.split() if word not in RESULTS]


def result(text):
    """The result at the end of a game; a star if it is not over."""
    last = (text.split() or ["*"])[-1]
    return last if last in RESULTS else "*"
