"""Edits: apply what a program proposes to a tree, all of it or nothing.

Takes    a SourceTree, edits in order, and the globs that a case lets them touch.
Gives    an Applied: the new tree, or the old one with a refusal for each edit that could not be applied.
Refuses  as values: a search text that occurs zero or several times, a taken or unknown path, a path outside of the
         scope, an edit that changes nothing; a test, and what configures Python, pytest or the build, unless the scope
         names its whole path.
Covered      bytes outside of an edit stay identical, line ends included; no path leaves the tree; no fuzz.
Not covered  an edit inside the scope may do anything to its file: that is what tests and sandboxes are for.
Source       DESIGN.md, "Programs".
"""

import re
from collections.abc import Collection, Iterable, Sequence

from tasks.records.attempt import EditRefusal
from tasks.records.base import Record
from tasks.records.case import Edit
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.comparing import diff
from tasks.workspace.paths import fault, protection
from tasks.workspace.symbols import parse

MAX_EDITS, MAX_FILE_BYTES, MAX_OCCURRENCES = 100, 1_000_000, 1_000


class Applied(Record):
    """`tree` is the old one whenever there is a refusal; `in_scope` is false if a refusal was about scope."""

    tree: SourceTree
    refusals: tuple[EditRefusal, ...]
    in_scope: bool
    touched: tuple[str, ...]


class Unfit(ValueError):
    """One edit cannot be applied; the message is the reason."""


class OutOfScope(Unfit):
    """The case does not open this path."""


def in_scope(path: str, scope: Iterable[str]) -> bool:
    """Whether a glob of `scope` matches: `*` and `?` inside a component, `**` over any number of them."""
    return any(_glob(pattern).fullmatch(path) for pattern in scope)


def _glob(pattern: str) -> re.Pattern[str]:
    words = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(words.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern)))


def apply(tree: SourceTree, edits: Sequence[Edit], scope: tuple[str, ...]) -> Applied:
    """Apply every edit in order, or none."""
    files, refusals, inside = dict(tree.by_path), list[EditRefusal](), True
    if len(edits) > MAX_EDITS:
        refusals.append(EditRefusal(path="", reason=f"expected at most {MAX_EDITS} edits, got {len(edits)}"))
    for edit in edits[:MAX_EDITS]:
        try:
            admit(edit.path, scope)
            _change(files, edit)
        except Unfit as unfit:
            inside = inside and not isinstance(unfit, OutOfScope)
            refusals.append(EditRefusal(path=edit.path, reason=str(unfit)))
    if refusals:
        return Applied(tree=tree, refusals=tuple(refusals), in_scope=inside, touched=())
    changed = SourceTree(files=tuple(files[path] for path in sorted(files)))
    touched = tuple(sorted({edit.path for edit in edits}))
    return Applied(tree=changed, refusals=(), in_scope=True, touched=touched)


def admit(path: str, scope: tuple[str, ...], allowed_control: Collection[str] = ()) -> None:
    """Refuse a path that no edit may touch; globs of `allowed_control` open protected files. Raises Unfit."""
    if problem := fault(path):
        raise Unfit(f"the path has {problem}")
    if not in_scope(path, scope):
        raise OutOfScope(f"outside of the scope of this case ({', '.join(scope)})")
    if reason := protection(path, named=_named(path, scope) or in_scope(path, allowed_control)):
        raise Unfit(reason)


def _named(path: str, scope: tuple[str, ...]) -> bool:
    """Whether the scope says the whole path: what a wildcard happens to match was not meant to be opened."""
    return path in scope and not set("*?") & set(path)


def _change(files: dict[str, SourceFile], edit: Edit) -> None:
    match edit.action:
        case "create":
            free(files, edit.path)
            files[edit.path] = SourceFile(path=edit.path, content=sized(edit.replace.encode(errors="replace")))
        case "delete":
            if files.pop(edit.path, None) is None:
                raise Unfit("no such file to delete")
        case "replace":
            if edit.path not in files:
                raise Unfit("no such file; use the action `create` for a new one")
            file = files[edit.path]
            files[edit.path] = file.model_copy(update={"content": sized(_replaced(file.content, edit))})


def free(files: dict[str, SourceFile], path: str) -> None:
    """Refuse a path at which no file can be created. Raises Unfit."""
    if path in files:
        raise Unfit("the file exists already; use the action `replace`")
    folders = {path[:index] for index, character in enumerate(path) if character == "/"}
    if folders & files.keys() or any(other.startswith(f"{path}/") for other in files):
        raise Unfit("a file and a folder cannot share one path")


def sized(content: bytes) -> bytes:
    """`content`, if it is not too large. Raises Unfit."""
    if len(content) > MAX_FILE_BYTES:
        raise Unfit(f"the file would have more than {MAX_FILE_BYTES:,} bytes")
    return content


def _replaced(content: bytes, edit: Edit) -> bytes:
    """`content` with the one occurrence replaced."""
    search, replace = fitted(content, edit)
    if not search:
        raise Unfit("the search text is empty")
    if search == replace:
        raise Unfit("the edit changes nothing")
    count = len(occurrences(content, search))
    if count != 1:
        least = "at least " if count == MAX_OCCURRENCES else ""
        raise Unfit(f"the search text occurs {least}{count} times; expected exactly once")
    return content.replace(search, replace, 1)


def fitted(content: bytes, edit: Edit) -> tuple[bytes, bytes]:
    """Both texts as bytes. Models write LF; where the file has CRLF, both get it."""
    search, replace = (text.encode(errors="replace") for text in (edit.search, edit.replace))
    if _all_crlf(content) or (search not in content and b"\r\n" in content):
        search, replace = (text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for text in (search, replace))
    return search, replace


def _all_crlf(content: bytes) -> bool:
    return 0 < content.count(b"\n") == content.count(b"\r\n")


def occurrences(content: bytes, search: bytes) -> list[int]:
    """Where `search` begins, overlapping ones too: `aa` occurs twice in `aaa`, and which one was meant nobody knows.

    No more than 1,000 are looked for: a text of one letter, searched for half of itself, would take minutes.
    """
    found, at = list[int](), content.find(search) if search else -1
    while at >= 0 and len(found) < MAX_OCCURRENCES:
        found.append(at)
        at = content.find(search, at + 1)
    return found


def parses(tree: SourceTree, paths: Iterable[str]) -> bool:
    """Whether every Python file among `paths` that exists in `tree` is Python."""
    sources = [tree.by_path[path] for path in paths if path.endswith(".py") and path in tree.by_path]
    return all(parse(file.content) is not None for file in sources)


def unified_diff(before: SourceTree, after: SourceTree) -> str:
    """The difference for readers, as text; bytes that are no UTF-8 are shown as U+FFFD."""
    return diff(before, after).decode(errors="replace")
