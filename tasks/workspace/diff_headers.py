"""Headers: the lines of a unified diff that name files and modes, written and read as git writes them.

Takes    two states of a file, or the bytes of a header line.
Gives    header text for git; names decoded, with `a/` and `b/` taken off where both are there.
Refuses  (Malformed) bad quoting, names that are no UTF-8, a `diff --git` line whose two names cannot be told apart.
Source   git-diff(1), "Generating patch text with -p"; quote.c of git.
"""

import re

from tasks.records.tree import SourceFile

NOTHING = "/dev/null"
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_QUOTED = rb'"(?:[^"\\]|\\.)*"'
_QUOTED_NAME = re.compile(rb"(%s)(?:\t.*)?" % _QUOTED)
_QUOTED_PAIR = re.compile(rb'(%s|[^"]+) (%s|[^"]+)' % (_QUOTED, _QUOTED))
_ESCAPE = re.compile(rb'\\([0-3][0-7]{2}|[abtnvfr"\\]|)')


class Malformed(ValueError):
    """The text cannot be read as a patch; the message is the reason."""


def quoted(name: str) -> str:
    """`name` as it stands in a header: bare, or in double quotes with every odd byte in octal."""
    odd = [byte < 0x20 or byte > 0x7E or byte in b'"\\' for byte in name.encode()]
    if not any(odd):
        return name
    return '"' + "".join(f"\\{b:03o}" if is_odd else chr(b) for b, is_odd in zip(name.encode(), odd, strict=True)) + '"'


def header(before: SourceFile | None, after: SourceFile | None) -> str:
    """The `diff --git` line and what it says of modes; at least one of the two states exists."""
    path = (before or after).path  # type: ignore[union-attr]
    lines = [f"diff --git {quoted(f'a/{path}')} {quoted(f'b/{path}')}"]
    if before is None or after is None:
        lines += [f"new file mode {after.mode}"] if after else []
        lines += [f"deleted file mode {before.mode}"] if before else []
    elif before.mode != after.mode:
        lines += [f"old mode {before.mode}", f"new mode {after.mode}"]
    return "".join(f"{line}\n" for line in lines)


def sides(before: SourceFile | None, after: SourceFile | None) -> tuple[str, str]:
    """The names behind `---` and `+++`. A tab ends a bare name with a space in it, or readers would look for a date."""
    old, new = (NOTHING if file is None else quoted(f"{at}/{file.path}") for at, file in (("a", before), ("b", after)))
    return _ended(old), _ended(new)


def _ended(name: str) -> str:
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def name_of(text: bytes) -> str:
    """The name behind `--- ` or `+++ `, without what may follow a tab."""
    if not text.startswith(b'"'):
        return _decoded(text.partition(b"\t")[0])
    if not (found := _QUOTED_NAME.fullmatch(text)):
        raise Malformed("a quoted name does not end where its line does")
    return _bare(found[1])


def names_of_git_line(text: bytes) -> tuple[str, str]:
    """Both names of a `diff --git` line. Bare names may hold spaces: then they must be the same but for a prefix."""
    if b'"' in text:
        if not (found := _QUOTED_PAIR.fullmatch(text)):
            raise Malformed("the `diff --git` line does not hold two names")
        return _bare(found[1]), _bare(found[2])
    middle = len(text) // 2
    halves = text[:middle], text[middle + 1 :]
    alike = halves[0].removeprefix(b"a/") == halves[1].removeprefix(b"b/")
    if not (len(text) % 2 and text[middle : middle + 1] == b" " and alike):
        if text.count(b" ") != 1:
            raise Malformed("the two names of the `diff --git` line cannot be told apart")
        halves = text.split(b" ")[0], text.split(b" ")[1]
    return _decoded(halves[0]), _decoded(halves[1])


def unprefixed(old: str, new: str, prefixed: bool | None = None) -> tuple[str | None, str | None, bool]:
    """Both names without `a/` and `b/`, None for no file, and whether the prefixes were there (or are known to be)."""
    if prefixed is None:
        prefixed = old in {NOTHING, f"a/{old[2:]}"} and new in {NOTHING, f"b/{new[2:]}"}
    if prefixed:
        old, new = old.removeprefix("a/"), new.removeprefix("b/")
    return None if old == NOTHING else old, None if new == NOTHING else new, prefixed


def _bare(text: bytes) -> str:
    return _decoded(_ESCAPE.sub(_byte, text[1:-1])) if text.startswith(b'"') else _decoded(text)


def _byte(escape: re.Match[bytes]) -> bytes:
    code = escape[1].decode()
    if not code:
        raise Malformed("a quoted name holds an escape that git does not write")
    return bytes([_LETTERS[code] if code in _LETTERS else int(code, 8)])


def _decoded(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"the name {name!r} is not UTF-8") from error
