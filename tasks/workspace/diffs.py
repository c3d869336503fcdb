"""Diffs: read a unified diff as models and tools write it, line by line, and skip nothing that could be a change.

Takes    text or bytes: `diff --git` sections or bare `---`/`+++` ones, in a fence or not, prose around them or not.
Gives    a Section for each file: names, extended header lines, hunks.
Refuses  (Malformed) oversize, NUL, text that is no Unicode, no diff at all, and any line that is neither prose at the
         edge nor fully understood.
Covered      wrong or missing counts (the lines themselves count), CRLF all through, blank context lines that lost
             their space, a missing final newline, `-- ` signatures.
Not covered  whether a patch is allowed (patching.py), and where it goes (placing.py).
Source       DESIGN.md, "Programs"; facts, section 7. No library: `unidiff` 1.0.1 stops at wrong counts, drops hunks
             without numbers in silence, and leaves quoted names and modes undecoded (measured).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tasks.workspace.diff_headers import Malformed, name_of, names_of_git_line, unprefixed

MAX_PATCH_BYTES, MAX_LINE_BYTES, MAX_FILES, MAX_HUNKS = 1_000_000, 20_000, 100, 200

_NUMBERED = re.compile(rb"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@.*")
_UNNUMBERED = re.compile(rb"@@(?: \.\.\.)?(?: @@)?\s*")
_EXTENDED = re.compile(
    rb"(old mode|new mode|new file mode|deleted file mode|similarity index|dissimilarity index|index|"
    rb"rename from|rename to|copy from|copy to) (.*)"
)
_BINARY = (b"GIT binary patch", b"Binary files ")
# Outside of a section these are pieces of a diff that lost their place; passing over them would apply half a patch.
_STRAY = re.compile(
    rb"@@|\+\+\+ |GIT binary patch|Binary files |diff --(?:cc|combined) |(?:old|new|new file|deleted file) mode \d|"
    rb"(?:rename|copy) (?:from|to) "
)
# Behind a fence that closed too early (a fence in the file, without its sign) the rest of a hunk would look like
# prose. A list has one space behind its bullet; lines of code seldom do.
_LOST = re.compile(rb"[+-](?!-*$)(?! \S)")
_SIGNATURE, _SIGNATURE_LINES = b"-- ", 3


@dataclass(frozen=True)
class Hunk:
    """Signed lines (b" ", b"-" or b"+", and the text with its line end); `at` is where in the patch, from 1."""

    at: int
    lines: tuple[tuple[bytes, bytes], ...]

    @property
    def old(self) -> list[bytes]:
        return [text for sign, text in self.lines if sign != b"+"]

    @property
    def new(self) -> list[bytes]:
        return [text for sign, text in self.lines if sign != b"-"]


@dataclass(frozen=True)
class Section:
    """What a patch says of one file; `old` or `new` is None where it says that there is none."""

    old: str | None
    new: str | None
    extended: dict[str, str] = field(default_factory=dict)
    hunks: tuple[Hunk, ...] = ()

    @property
    def path(self) -> str:
        return (self.old if self.new is None else self.new) or ""


def read(text: str | bytes) -> list[Section]:
    """Every section of a patch, in order. Raises Malformed."""
    sections = list(_Reader(_lines(text)).sections())
    if not sections:
        raise Malformed("there is no unified diff in this text (`--- a/path`, `+++ b/path`, `@@ ... @@`)")
    if len(sections) > MAX_FILES or sum(len(section.hunks) for section in sections) > MAX_HUNKS:
        raise Malformed(f"expected at most {MAX_FILES} files and {MAX_HUNKS} hunks")
    return sections


def _lines(text: str | bytes) -> list[bytes]:
    """The lines without their `\\n`; and without the `\\r` that a translation put behind all of them."""
    try:
        raw = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        raise Malformed("the patch is not Unicode text") from error
    if len(raw) > MAX_PATCH_BYTES:
        raise Malformed(f"expected at most {MAX_PATCH_BYTES:,} bytes, got {len(raw):,}")
    if b"\0" in raw:
        raise Malformed("the patch holds a NUL byte")
    lines = raw.removesuffix(b"\n").split(b"\n")
    if max(map(len, lines)) > MAX_LINE_BYTES:
        raise Malformed(f"expected lines of at most {MAX_LINE_BYTES:,} bytes")
    first_header = next((line for line in lines if line.startswith((b"diff --git ", b"+++ "))), b"")
    return [line.removesuffix(b"\r") for line in lines] if first_header.endswith(b"\r") else lines


class _Reader:
    """A cursor over the lines. `inside` from the first header on until a fence or a signature closes the diff."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines, self.at, self.inside, self.begun, self.after_blank = lines, 0, False, False, False

    def sections(self) -> Iterator[Section]:
        while self.at < len(self.lines):
            if self._starts_section(self.at):
                self.inside, self.begun, self.after_blank = True, True, False
                yield self._git_section() if self._line().startswith(b"diff --git ") else self._bare_section()
            else:
                self._prose()

    def _line(self, at: int | None = None) -> bytes:
        """The line at the cursor, or at `at`; behind the last one it is empty."""
        at = self.at if at is None else at
        return self.lines[at] if at < len(self.lines) else b""

    def _starts_section(self, at: int) -> bool:
        if self._line(at).startswith(b"diff --git "):
            return True
        bare = self._line(at).startswith(b"--- ") and self._line(at + 1).startswith(b"+++ ")
        return bare and self._line(at + 2).startswith(b"@@")

    def _unclear(self, said: str) -> Malformed:
        return Malformed(f"line {self.at + 1} of the patch: {said}")

    def _prose(self) -> None:
        """Pass over one line that belongs to no section, if it can be nothing else."""
        line = self._line()
        if _STRAY.match(line):
            raise self._unclear("a piece of a diff that belongs to no `diff --git` or `---`/`+++` header")
        if line == _SIGNATURE or line.startswith(b"```"):
            self.inside = False
        elif self.inside and line and (line[:1] in b" +-\\" or not self.after_blank):
            raise self._unclear("expected a line that starts with a space, `+` or `-`, or a header")
        elif self.begun and _LOST.match(line):
            raise self._unclear("a changed line that belongs to no hunk")
        self.after_blank = self.after_blank or not line
        self.at += 1

    def _git_section(self) -> Section:
        old, new, prefixed = unprefixed(*names_of_git_line(self._line().removeprefix(b"diff --git ")))
        self.at += 1
        extended = self._extended()
        if "binary" in extended or not self._line().startswith(b"--- "):
            return Section(old, new, extended)
        named = self._sides(prefixed)
        if named[0] not in {old, None} or named[1] not in {new, None}:
            raise self._unclear("the names behind `---` and `+++` are not those of the `diff --git` line")
        return Section(*named, extended, self._hunks())

    def _bare_section(self) -> Section:
        return Section(*self._sides(None), {}, self._hunks())

    def _extended(self) -> dict[str, str]:
        found = dict[str, str]()
        while match := _EXTENDED.fullmatch(self._line()):
            key = match[1].decode()
            if key in found:
                raise self._unclear(f"a second `{key}`")
            found[key] = match[2].decode(errors="replace")
            self.at += 1
        if self._line().startswith(_BINARY):
            found["binary"] = ""
            while self.at < len(self.lines) and not self._line().startswith(b"diff --git "):
                self.at += 1
        return found

    def _sides(self, prefixed: bool | None) -> tuple[str | None, str | None]:
        first, second = self._line(), self._line(self.at + 1)
        if not second.startswith(b"+++ "):
            raise self._unclear("expected a `+++` line behind the `---` line")
        old, new, _ = unprefixed(name_of(first[4:]), name_of(second[4:]), prefixed)
        self.at += 2
        if not self._line().startswith(b"@@"):
            raise self._unclear("expected a hunk, `@@ -start,count +start,count @@`")
        return old, new

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks = list[Hunk]()
        while self._line(after := self._after_blank(self.at)).startswith(b"@@"):
            self.at = after
            hunks.append(self._hunk())
        return tuple(hunks)

    def _after_blank(self, at: int) -> int:
        while at < len(self.lines) and not self.lines[at]:
            at += 1
        return at

    def _hunk(self) -> Hunk:
        start = self.at + 1
        if numbered := _NUMBERED.fullmatch(self._line()):
            end = self._end_by_count(start, *(1 if count is None else int(count) for count in numbered.groups()))
        elif _UNNUMBERED.fullmatch(self._line()):
            end = None
        else:
            raise self._unclear("expected a hunk header, `@@ -start,count +start,count @@`")
        end = self._end_by_shape(start) if end is None else end
        hunk = Hunk(start, tuple(self._signed(start, end)))
        if any(not text.endswith(b"\n") for side in (hunk.old, hunk.new) for text in side[:-1]):
            raise self._unclear("a line without a newline is followed by another one")
        self.at = end
        return hunk

    def _end_by_count(self, at: int, old: int, new: int) -> int | None:
        """Where the declared counts end the hunk; None if they do not fit what stands there."""
        while old > 0 or new > 0:
            sign = self._sign(at)
            if not sign:
                return None
            old, new = old - (sign in b" -"), new - (sign in b" +")
            at += 1
        while self._sign(at) == b"\\":
            at += 1
        beyond = self._after_blank(at)
        more = self._in_hunk(beyond) and self._sign(beyond) != b"\\"
        return None if (old, new) != (0, 0) or more else at

    def _end_by_shape(self, at: int) -> int:
        """Where the lines stop looking like a hunk. Blank ones at the end are the text's, not the file's."""
        end = at
        while self._in_hunk(end):
            end += 1
        while end > at and not self.lines[end - 1]:
            end -= 1
        return end

    def _in_hunk(self, at: int) -> bool:
        signed_off = self._line(at) == _SIGNATURE and at >= len(self.lines) - _SIGNATURE_LINES
        return bool(self._sign(at)) and not signed_off and not self._starts_section(at)

    def _sign(self, at: int) -> bytes:
        """The sign of a line of a hunk, b" " for a blank line that lost its own; empty if it is no such line."""
        if at >= len(self.lines):
            return b""
        line = self.lines[at]
        return b" " if line in {b"", b"\r"} else line[:1] if line[:1] in b" +-\\" else b""

    def _signed(self, start: int, end: int) -> Iterator[tuple[bytes, bytes]]:
        for at in range(start, end):
            line = self.lines[at]
            if line.startswith(b"\\"):
                if at == start or self.lines[at - 1].startswith(b"\\"):
                    raise self._unclear("`\\ No newline at end of file` follows no line")
                continue
            bare = line[1:] if line[:1] in {b" ", b"+", b"-"} else line
            unended = at + 1 < end and self.lines[at + 1].startswith(b"\\")
            yield self._sign(at), bare if unended else bare + b"\n"
