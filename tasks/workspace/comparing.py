"""Comparing: the difference of two trees as a patch, byte for byte.

Takes    two SourceTrees.
Gives    what `git diff` prints, but for index lines; `git apply` makes the second tree of the first with it, whatever
         the encoding or the line ends.
Covered  time: lines that are unique on both sides anchor the rest, and only short stretches between them are compared
         line by line; of texts made to be slow, longer stretches are shown as replaced.
Source   git-diff(1); the anchors are those of a patience diff.
"""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.diff_headers import header, sides

MAX_COMPARED = 10_000
"""Lines of the one side times lines of the other, between two anchors."""

Span = tuple[int, int, int, int]  # first and last of the old lines, first and last of the new


def diff(before: SourceTree, after: SourceTree) -> bytes:
    """Every file that differs, in path order; empty for equal trees."""
    paths = sorted(before.by_path.keys() | after.by_path.keys())
    return b"".join(file_diff(before.by_path.get(path), after.by_path.get(path)) for path in paths)


def file_diff(before: SourceFile | None, after: SourceFile | None) -> bytes:
    """The same of one file; None where there is none."""
    if before == after:
        return b""
    old, new = _lines(before), _lines(after)
    shown = b"".join(_hunk(old, new, group) for group in Anchored(old, new).get_grouped_opcodes())
    names = "--- {}\n+++ {}\n".format(*sides(before, after)) if shown else ""
    return (header(before, after) + names).encode() + shown


def _lines(file: SourceFile | None) -> list[bytes]:
    """As git counts lines: a form feed or a lone carriage return ends none."""
    if file is None or not file.content:
        return []
    *whole, rest = file.content.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def _hunk(old: Sequence[bytes], new: Sequence[bytes], group: Sequence[tuple[str, int, int, int, int]]) -> bytes:
    old_span, new_span = _span(group[0][1], group[-1][2]), _span(group[0][3], group[-1][4])
    lines = [f"@@ -{old_span} +{new_span} @@\n".encode()]
    for tag, old_from, old_to, new_from, new_to in group:
        if tag == "equal":
            lines += (_signed(b" ", line) for line in old[old_from:old_to])
        else:
            lines += (_signed(b"-", line) for line in old[old_from:old_to])
            lines += (_signed(b"+", line) for line in new[new_from:new_to])
    return b"".join(lines)


def _span(start: int, end: int) -> str:
    """Where a hunk lies; nothing at all lies behind the line before it."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"


def _signed(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"


class Anchored(difflib.SequenceMatcher[bytes]):
    """Blocks of equal lines in time that hardly grows faster than the texts do."""

    def __init__(self, old: Sequence[bytes], new: Sequence[bytes]) -> None:
        super().__init__(None, old, new)
        self.old, self.new = old, new

    def get_matching_blocks(self) -> list[difflib.Match]:
        """In both orders, disjoint, with the empty block at the end that difflib asks for."""
        blocks = [block for span in self._stretches() for block in self._within(span)]
        return [*_joined(blocks), difflib.Match(len(self.old), len(self.new), 0)]

    def _stretches(self) -> Iterator[Span]:
        """From each anchor to the next, the anchor included."""
        old_at = new_at = 0
        for old_next, new_next in [*anchors(self.old, self.new), (len(self.old), len(self.new))]:
            yield old_at, old_next, new_at, new_next
            old_at, new_at = old_next, new_next

    def _within(self, span: Span) -> Iterator[difflib.Match]:
        old_from, old_to, new_from, new_to = span
        same = _common(self.old, self.new, span)
        yield difflib.Match(old_from, new_from, same)
        old_from, new_from = old_from + same, new_from + same
        tail = _common_end(self.old, self.new, (old_from, old_to, new_from, new_to))
        old, new = self.old[old_from : old_to - tail], self.new[new_from : new_to - tail]
        if len(old) * len(new) <= MAX_COMPARED:
            for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
                yield difflib.Match(old_from + block.a, new_from + block.b, block.size)
        yield difflib.Match(old_to - tail, new_to - tail, tail)


def anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Positions of lines that occur once on each side: as many as can be in the order of both."""
    once_old, once_new = ({line for line, count in Counter(lines).items() if count == 1} for lines in (old, new))
    places = {line: at for at, line in enumerate(new) if line in once_old and line in once_new}
    pairs = [(at, places[line]) for at, line in enumerate(old) if line in places]
    tails: list[int] = []  # of the best run of each length, the smallest last place; `ends` says which pair it is
    ends: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1], ends[length : length + 1] = [place], [index]
    return _run(pairs, before, ends[-1] if ends else -1)


def _run(pairs: Sequence[tuple[int, int]], before: Sequence[int], at: int) -> list[tuple[int, int]]:
    found = []
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _common(old: Sequence[bytes], new: Sequence[bytes], span: Span) -> int:
    """How many lines both stretches begin with."""
    old_from, old_to, new_from, new_to = span
    most = min(old_to - old_from, new_to - new_from)
    return next((at for at in range(most) if old[old_from + at] != new[new_from + at]), most)


def _common_end(old: Sequence[bytes], new: Sequence[bytes], span: Span) -> int:
    """How many lines both stretches end with."""
    old_from, old_to, new_from, new_to = span
    most = min(old_to - old_from, new_to - new_from)
    return next((at for at in range(most) if old[old_to - 1 - at] != new[new_to - 1 - at]), most)


def _joined(blocks: Sequence[difflib.Match]) -> Iterator[difflib.Match]:
    """Blocks that touch become one; empty ones go."""
    held: difflib.Match | None = None
    for block in (each for each in blocks if each.size):
        if held and (held.a + held.size, held.b + held.size) == (block.a, block.b):
            held = difflib.Match(held.a, held.b, held.size + block.size)
            continue
        if held:
            yield held
        held = block
    if held:
        yield held
