"""Editing: one reader's hands at a workbench. What was not read is not edited, nor what has changed since.

Takes    paths, ranges and texts that a model chose, all of their declared types.
Gives    Lines that are read, a Change that is ready and has not happened, and at last what happened.
Refuses  (Unfit, each with advice) a search text that is empty or does not occur exactly once, a file that was never
         read, a taken path, a file that is no text, text that would not stand in the file as the model meant it;
         (Stale) a file that has changed since it was read.
Covered      bytes outside of an edit stay as they are: CRLF, encodings, a byte order mark. Shown text is plain: what
             cannot be printed is U+FFFD, and nobody can write that U+FFFD back into the file by accident.
Not covered  encodings other than UTF-8: their ASCII can be edited, the rest cannot be quoted. UTF-16 is no text here.
             The beginning of a line is all that is seen of one that is longer than the budget of an answer.
Source       DESIGN.md, "Tool boundary".
"""

from typing import NamedTuple

from tasks.records.case import Edit
from tasks.records.fingerprint import sha256
from tasks.records.tree import SourceFile
from tasks.workspace.edits import MAX_FILE_BYTES, Unfit, fitted, occurrences
from tasks.workspace.reading import lines_of
from tasks.workspace.workbench import Change, Stale, Workbench

MAX_TEXT_BYTES = 100_000
REPLACEMENT = "\ufffd"
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")  # UTF-16 and UTF-32, either order, but for the rare one that has NULs anyway
REREAD = "reread the range with read_file, and quote it exactly, without line numbers"
SHOWN_PLACES = 5


class Lines(NamedTuple):
    """Lines `first` to `last` of the `of` that a file has, numbered, as text; `sha256` is the whole file's."""

    path: str
    first: int
    last: int
    of: int
    text: str
    sha256: str


class Edited(NamedTuple):
    """A change that has happened: from which line on, and what the file's bytes hash to now."""

    path: str
    line: int
    sha256: str


class Editor:
    """What one reader has read, and what it does to the bench."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self._seen: dict[str, str] = {}

    def read(self, path: str, start_line: int, end_line: int) -> Lines:
        """The lines from `start_line` to `end_line`, both included, or as many of them as there are. Raises Unfit."""
        file = self._text(path)
        lines = lines_of(file)
        last = min(end_line, len(lines))
        if not 1 <= start_line <= end_line or start_line > max(1, len(lines)):
            raise Unfit(f"expected 1 <= start_line <= end_line and start_line within the file's {len(lines)} lines")
        shown = (f"{number}: {line}" for number, line in enumerate(lines[start_line - 1 : last], start_line))
        self._seen[path] = sha256(file.content)
        return Lines(path, start_line, last, len(lines), "\n".join(shown), self._seen[path])

    def prepare_edit(self, path: str, old: str, new: str) -> Change:
        """Have `new` ready for the one place where `old` stands. Raises Unfit, Stale."""
        self.bench.check_open(path)
        file = self._text(path)
        if path not in self._seen:
            raise Unfit(f"this file has not been read; {REREAD}")
        self._check_unchanged(path, sha256(file.content))
        edit = Edit(path=path, search=old, replace=new)
        _check_text(new)
        _check_fits(file, edit)
        _check_once(file, edit)
        change = self.bench.prepare(edit)
        self._check_unchanged(path, change.before)  # others work at this bench, too
        return change

    def prepare_write(self, path: str, content: str) -> Change:
        """Have a new file ready, where nothing is. Raises Unfit."""
        self.bench.check_open(path)
        self.bench.check_free(path)
        _check_text(content)
        return self.bench.prepare(Edit(path=path, replace=content, action="create"))

    def commit(self, change: Change) -> Edited:
        """Make a change that was prepared, and know the file as it is then. Raises Stale."""
        self.bench.commit(change)
        path = change.edit.path
        self._seen[path] = sha256(change.after.content)
        return Edited(path, change.line, self._seen[path])

    def _check_unchanged(self, path: str, now: str | None) -> None:
        if now != self._seen[path]:
            raise Stale(f"the file has changed since it was read; {REREAD}")

    def _text(self, path: str) -> SourceFile:
        file = self.bench.visible(path)
        if len(file.content) > MAX_FILE_BYTES or b"\0" in file.content or file.content.startswith(WIDE_MARKS):
            raise Unfit(f"not text in one byte or UTF-8, or more than {MAX_FILE_BYTES:,} bytes")
        return file


def _check_text(text: str) -> None:
    """What can be written down and shown again."""
    if "\0" in text:
        raise Unfit("the text holds a NUL character, which no text file has")
    if not _is_utf8(text.encode("utf-8", errors="surrogatepass")):
        raise Unfit("the text has no UTF-8 form")
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise Unfit(f"the text has more than {MAX_TEXT_BYTES:,} bytes; make several smaller edits")


def _check_fits(file: SourceFile, edit: Edit) -> None:
    """Refuse text that the file's encoding has no place for, or that was copied from what stands for other bytes."""
    if not _is_utf8(edit.search.encode("utf-8", errors="surrogatepass")):
        raise Unfit("the text has no UTF-8 form")
    if not _is_utf8(file.content) and not edit.replace.isascii():
        raise Unfit("this file is not UTF-8; only ASCII text can be put into it")
    copied = REPLACEMENT in edit.replace and REPLACEMENT not in file.text
    if copied and any(REPLACEMENT in line for line in lines_of(file)):
        raise Unfit("U+FFFD stands for a character of this file that cannot be shown; leave such characters alone")


def _check_once(file: SourceFile, edit: Edit) -> None:
    """Exactly one place, or advice."""
    if not edit.search:
        raise Unfit(f"the old text is empty, which is everywhere; {REREAD}")
    search, _ = fitted(file.content, edit)
    places = occurrences(file.content, search)
    if len(places) == 1:
        return
    if not places:
        odd = ", and without U+FFFD, which stands for what cannot be shown" if REPLACEMENT in edit.search else ""
        raise Unfit(f"the old text occurs nowhere in the file; {REREAD}{odd}")
    lines = ", ".join(str(file.content.count(b"\n", 0, at) + 1) for at in places[:SHOWN_PLACES])
    more = ", ..." if len(places) > SHOWN_PLACES else ""
    raise Unfit(f"the old text occurs more than once (lines {lines}{more}); {REREAD} with more of what surrounds it")


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
