"""Searching: where a text occurs in many others, line by line, at the speed of one `bytes.find`.

Takes    folded texts in UTF-8, in an order.
Gives    (number of the text, number of the line) of each line that holds the wanted one, in that order.
Refuses  nothing; what is beyond `max_bytes` is left out, and `complete` says so.

All texts lie in one piece of memory, joined by line ends. Folding may change the length of a line but never the number
of lines, and the wanted text has no line end in it: a hit is told by its line, never by an offset into the original.
UTF-8 is self-synchronising, so that a match of bytes is a match of characters.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator


class Joined:
    """Texts that were put together once, and are searched many times."""

    def __init__(self, texts: Iterable[bytes], max_bytes: int) -> None:
        self._starts: list[int] = []
        self.complete = True
        kept: list[bytes] = []
        size_bytes = 0
        for text in texts:
            if size_bytes + len(text) + 1 > max_bytes:
                self.complete = False
                break
            self._starts.append(size_bytes)
            kept.append(text)
            size_bytes += len(text) + 1
        self._text = b"\n".join([*kept, b""])

    def lines_with(self, wanted: bytes) -> Iterator[tuple[int, int]]:
        """Every line that holds `wanted`, once; texts count from 0, lines from 1."""
        position = self._text.find(wanted)
        while position >= 0:
            number = bisect_right(self._starts, position) - 1
            yield number, self._text.count(b"\n", self._starts[number], position) + 1
            position = self._text.find(wanted, self._text.find(b"\n", position))
