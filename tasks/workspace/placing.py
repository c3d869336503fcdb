"""Placing: where hunks go in a file, by the same rule as an exact-once edit.

Takes    the content of a file and the hunks of one section.
Gives    a script: every line of the file with its sign, b" " kept, b"-" taken out, b"+" put in.
Refuses  (Unfit) a hunk whose kept and removed lines occur nowhere or several times, or that has none; hunks that
         overlap; a claim about the final newline that the file does not bear out.
Covered      wrong line numbers (they are not used); CRLF against LF either way; a missing final newline. Where the
             patch fits byte for byte it is taken byte for byte; elsewhere added lines get the line ends of the file.
Not covered  whitespace inside of a line is never guessed: no fuzz.
Source       facts, section 7, "Silent misplacement".
"""

from collections.abc import Iterable, Iterator, Sequence

from tasks.workspace.diffs import Hunk
from tasks.workspace.edits import Unfit

Script = list[tuple[bytes, bytes]]


def script(content: bytes, hunks: Iterable[Hunk]) -> Script:
    """The whole file as signed lines, hunks in their places. Raises Unfit."""
    lines = split(content)
    text = _text(lines)
    placed = sorted(((_place(lines, text, hunk), hunk) for hunk in hunks), key=lambda pair: pair[0])
    made, at = Script(), 0
    for start, hunk in placed:
        if start < at:
            raise Unfit(f"the hunk at line {hunk.at} of the patch overlaps with another one; join them into one hunk")
        found = lines[start : start + len(hunk.old)]
        made += [(b" ", line) for line in lines[at:start]]
        made += _fitted(hunk, found, _ending(found) or _ending(lines) or b"\n")
        at = start + len(found)
    return made + [(b" ", line) for line in lines[at:]]


def kept(script: Script) -> bytes:
    """The content after a script."""
    return b"".join(text for sign, text in script if sign != b"-")


def split(content: bytes) -> list[bytes]:
    """Lines with their line ends; only `\\n` ends a line, as in git."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1].removesuffix(b"\n")
    return lines if lines[-1] else lines[:-1]


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _text(lines: Iterable[bytes]) -> bytes:
    """Lines as one text in which a newline stands before and behind each, so that only whole lines are found."""
    return b"\n" + b"".join(_bare(line) + b"\n" for line in lines)


def _place(lines: Sequence[bytes], text: bytes, hunk: Hunk) -> int:
    """The index of the first of the lines that the hunk replaces; `text` is `_text(lines)`."""
    wanted, where = _text(hunk.old), f"the hunk at line {hunk.at} of the patch"
    if not hunk.old:
        if lines:
            raise Unfit(f"{where} only adds lines; put unchanged lines of the file around them")
        return 0
    first = text.find(wanted)
    if first < 0:
        raise Unfit(f"{where} does not fit: its unchanged and removed lines must stand in the file exactly as they are")
    if text.find(wanted, first + 1) >= 0:
        raise Unfit(f"{where} fits in several places; put more unchanged lines around the change")
    start = text.count(b"\n", 0, first)
    _check_final_newline(lines, start + len(hunk.old), hunk, where)
    return start


def _check_final_newline(lines: Sequence[bytes], end: int, hunk: Hunk, where: str) -> None:
    ended = [not side or side[-1].endswith(b"\n") for side in (hunk.old, hunk.new)]
    at_end = end == len(lines)
    if (not all(ended) and not at_end) or (not ended[0] and lines[-1].endswith(b"\n")):
        raise Unfit(f"{where} says that the file ends there without a newline; it does not")


def _ending(lines: Sequence[bytes]) -> bytes:
    """The line end of the first line that has one."""
    return next((line[len(_bare(line)) :] for line in lines if line.endswith(b"\n")), b"")


def _fitted(hunk: Hunk, found: Sequence[bytes], ending: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The hunk's signed lines with kept and removed lines as the file has them."""
    if list(found) == hunk.old:
        yield from hunk.lines
        return
    of_file, last = iter(found), max((at for at, (sign, _) in enumerate(hunk.lines) if sign != b"-"), default=-1)
    silent = not found[-1].endswith(b"\n") and hunk.old[-1].endswith(b"\n")
    for index, (sign, text) in enumerate(hunk.lines):
        if sign == b"+":
            ended = text.endswith(b"\n") and not (silent and index == last)
            yield sign, _bare(text) + (ending if ended else b"")
        elif (line := next(of_file)).endswith(b"\n") or sign == b"-" or index == last:
            yield sign, line
        else:  # the file's last line, which had no newline, is not the last one any more
            yield from ((b"-", line), (b"+", line + ending))
