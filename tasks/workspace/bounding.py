"""Bounding: as much of a text as a model is shown, by bytes and by lines, and whether that was all of it.

Takes    a text and two budgets.
Gives    a prefix that is valid UTF-8 within both, and a flag; the flag is never part of the text.
Refuses  (ValueError) a budget below one.
Not covered  memory: the text exists already. What a process prints is bounded while it is captured (supervise.py).
"""

from typing import NamedTuple

MAX_BYTES, MAX_LINES = 2_000, 30


class Bounded(NamedTuple):
    """A prefix of a text, and whether anything is missing."""

    text: str
    truncated: bool


def bound(text: str, *, max_bytes: int = MAX_BYTES, max_lines: int = MAX_LINES) -> Bounded:
    """The longest prefix within both budgets.

    Lines are those of `str.splitlines`, which knows the most line ends, so that no reader counts more of them; a
    character is never cut in half. Lone surrogates, which no UTF-8 has, become question marks. Raises ValueError.
    """
    if max_bytes < 1 or max_lines < 1:
        raise ValueError(f"expected budgets of at least 1, got max_bytes={max_bytes} and max_lines={max_lines}")
    content = text.encode("utf-8", errors="replace")
    head = content[:max_bytes].decode("utf-8", errors="ignore")
    kept = "".join(head.splitlines(keepends=True)[:max_lines])
    return Bounded(kept, truncated=len(kept.encode()) < len(content))
