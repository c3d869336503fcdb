"""Snapshot: three read-only tools over a tree in memory.

Takes    a SourceTree and the arguments that a model chose.
Gives    an Answer: bounded text, whether it was cut, and `rejected` where the boundary refused the call.
Refuses  as an answer, never as an exception: a path that leaves the root, an unknown file, a bad range, a wrong type.
Covered      at most 20 hits, 120 lines a read, 256,000 bytes a file, 8,000 bytes an answer; sorted; control characters
             of the repository do not reach a terminal; no host path, no version history.
Not covered  what the repository's own text says to a model: it is data, and the program must treat it so.
Source       DESIGN.md, "Tool boundary".
"""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Literal, NamedTuple, TypeGuard

from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.paths import fault
from tasks.workspace.symbols import Definition, definitions

MAX_HITS, MAX_LINES, MAX_LINE_CHARS, MAX_QUERY_CHARS = 20, 120, 300, 200
MAX_FILE_BYTES, MAX_ANSWER_BYTES = 256_000, 8_000
SYMBOL = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class Answer(NamedTuple):
    """What a tool says. Truncation is told here and never in the text."""

    output: str
    truncated: bool = False
    status: Literal["ok", "rejected"] = "ok"


def rejected(reason: str) -> Answer:
    return Answer(reason, status="rejected")


def lines_of(file: SourceFile) -> list[str]:
    """Lines as Python and git count them, without their ends; no line of a repository can move a cursor."""
    lines = file.text.removeprefix("\ufeff").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [UNPRINTABLE.sub("\ufffd", line.removesuffix("\r")) for line in lines]


def is_text(file: SourceFile) -> bool:
    return len(file.content) <= MAX_FILE_BYTES and b"\0" not in file.content[:8_192]


def bounded(lines: Iterable[str], *, max_lines: int) -> Answer:
    """As many whole lines as fit; a longer line is cut."""
    kept: list[str] = []
    size_bytes, cut = 0, False
    for line in lines:
        short = line[:MAX_LINE_CHARS]
        size_bytes += len(short.encode()) + 1
        if len(kept) == max_lines or size_bytes > MAX_ANSWER_BYTES:
            return Answer("\n".join(kept), truncated=True)
        cut = cut or short != line
        kept.append(short)
    return Answer("\n".join(kept), truncated=cut)


class Snapshot:
    """The tools, bound to one tree. The root is not an argument of anything."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree

    @cached_property
    def _texts(self) -> list[tuple[str, list[str]]]:
        return [(file.path, lines_of(file)) for file in self.tree.files if is_text(file)]

    @cached_property
    def _definitions(self) -> list[Definition]:
        sources = [file for file in self.tree.files if file.path.endswith(".py") and is_text(file)]
        return [definition for file in sources for definition in definitions(file)]

    def search_repository(self, query: object) -> Answer:
        """Lines that contain `query`, ignoring case, then files whose path does; in path order."""
        if not isinstance(query, str) or not 0 < len(query.strip()) <= len(query) <= MAX_QUERY_CHARS or "\n" in query:
            return rejected("query: expected one line of 1 to 200 characters")
        wanted = query.casefold()
        in_lines = (
            f"{path}:{number}: {line.strip()}"
            for path, lines in self._texts
            for number, line in enumerate(lines, 1)
            if wanted in line.casefold()
        )
        in_paths = (f"{file.path}: file name" for file in self.tree.files if wanted in file.path.casefold())
        found = bounded((hit for hits in (in_lines, in_paths) for hit in hits), max_lines=MAX_HITS)
        return found if found.output else Answer("no match")

    def read_file(self, path: object, start_line: object = 1, end_line: object = None) -> Answer:
        """Numbered lines of one file, `end_line` included; 120 lines from `start_line` if no end is given."""
        if problem := fault(path):
            return rejected(f"path: it has {problem}; expected a path relative to the repository")
        file = self.tree.by_path.get(str(path))
        if file is None:
            return rejected("path: no such file in the repository")
        if not is_text(file):
            return rejected(f"path: not text, or more than {MAX_FILE_BYTES:,} bytes")
        lines = lines_of(file)
        end = max(1, len(lines)) if end_line is None else end_line
        if not _is_line(start_line) or not _is_line(end):
            return rejected("start_line, end_line: expected whole numbers from 1")
        if start_line > end or start_line > max(1, len(lines)):
            return rejected(f"start_line, end_line: expected a range inside 1 to {len(lines)}")
        chosen = lines[start_line - 1 : end]
        return bounded((f"{number}: {line}" for number, line in enumerate(chosen, start_line)), max_lines=MAX_LINES)

    def inspect_symbol(self, name: object) -> Answer:
        """Every definition of `name` or `Class.attribute`, each with its file, line span and source."""
        if not isinstance(name, str) or len(name) > MAX_QUERY_CHARS or not SYMBOL.fullmatch(name):
            return rejected("name: expected a Python name, or names joined by dots")
        found = [definition for definition in self._definitions if f".{definition.name}".endswith(f".{name}")]
        if not found:
            return Answer("no definition")
        lines = (line for definition in found[:MAX_HITS] for line in self._shown(definition))
        shown = bounded(lines, max_lines=MAX_LINES)
        return shown._replace(truncated=shown.truncated or len(found) > MAX_HITS)

    def _shown(self, definition: Definition) -> list[str]:
        source = lines_of(self.tree.by_path[definition.path])[definition.first_line - 1 : definition.last_line]
        title = f"{definition.path}:{definition.first_line}-{definition.last_line}: {definition.kind} {definition.name}"
        return [title, *(f"{number}: {line}" for number, line in enumerate(source, definition.first_line))]


def _is_line(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1
