"""Snapshot: three read-only tools over a tree in memory.

Takes    a SourceTree and the arguments that a model chose.
Gives    an Answer: bounded text, whether it was cut, and `rejected` where the boundary refused the call.
Refuses  as an answer, never as an exception: a path that leaves the root, an unknown file, a bad range, and what
         calling.py refuses.
Covered      the limits of records/tools.py; sorted; the same answer on every run and machine; control characters of
             the repository do not reach a terminal; no host path, no version history.
Not covered  what the repository's own text says to a model: it is data, and the program must treat it so. UTF-16 is
             not text here. Bounds on work are bytes, not seconds: a clock would make evidence depend on the machine.
             The worker as a whole is under the parent's clock (worker/confined.py).
Source       DESIGN.md, "Tool boundary".
"""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from tasks.records.tools import LIMITS, ToolLimits
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.calling import Answer, rejected, tool
from tasks.workspace.paths import fault
from tasks.workspace.reading import folded, folded_bytes, is_text, lines_of
from tasks.workspace.searching import Joined
from tasks.workspace.symbolic import About, Symbols, attribute_line, call_line

DEFAULT_LINES = 80


class Snapshot:
    """The tools, bound to one tree. The root is not an argument of anything."""

    def __init__(self, tree: SourceTree, limits: ToolLimits = LIMITS) -> None:
        self.tree, self.limits = tree, limits

    @cached_property
    def _texts(self) -> list[SourceFile]:
        return [file for file in self.tree.files if is_text(file, self.limits.max_file_bytes)]

    @cached_property
    def _lines(self) -> Joined:
        return Joined(map(folded_bytes, self._texts), self.limits.max_searched_bytes)

    @cached_property
    def _paths(self) -> Joined:
        return Joined((folded(file.path).encode() for file in self.tree.files), self.limits.max_searched_bytes)

    @cached_property
    def _symbols(self) -> Symbols:
        return Symbols(self._texts, self.limits)

    @tool()
    def search_repository(self, query: str) -> Answer:
        """Lines that contain `query`, ignoring case and Unicode form, then files whose path does; in path order."""
        if not query.strip() or len(query) > self.limits.max_query_chars:
            return rejected(f"query: expected one line of 1 to {self.limits.max_query_chars} characters")
        found = self._bounded(self._hits(folded(query).encode()), self.limits.max_hits, self.limits.max_answer_bytes)
        incomplete = not (self._lines.complete and self._paths.complete)
        return Answer(found.output or "no match", found.truncated or incomplete)

    def _hits(self, wanted: bytes) -> Iterator[str]:
        read = lru_cache(maxsize=1)(lines_of)
        for number, line in self._lines.lines_with(wanted):
            file = self._texts[number]
            yield f"{file.path}:{line}: {read(file)[line - 1].strip()}"
        for number, _ in self._paths.lines_with(wanted):
            yield f"{self.tree.files[number].path}: file name"

    @tool(counted_from={"end_line": "start_line"})
    def read_file(self, path: str, start_line: int = 1, end_line: int = DEFAULT_LINES) -> Answer:
        """Numbered lines of one file, `end_line` included; if it is left out, 80 lines from `start_line`.

        Truncated where a limit came before the chosen end, or 80 lines (chosen or not) before the end of the file.
        """
        if problem := fault(path):
            return rejected(f"path: it has {problem}; expected a path relative to the repository")
        file = self.tree.by_path.get(path)
        if file is None:
            return rejected("path: no such file in the repository")
        if not is_text(file, self.limits.max_file_bytes):
            return rejected(f"path: not text, or more than {self.limits.max_file_bytes:,} bytes")
        lines = lines_of(file)
        if start_line > end_line or start_line > max(1, len(lines)):
            return rejected(f"start_line, end_line: expected a range inside 1 to {len(lines)}")
        numbered = (f"{number}: {line}" for number, line in enumerate(lines[start_line - 1 : end_line], start_line))
        shown = self._bounded(numbered, self.limits.max_span_lines, self.limits.max_answer_bytes)
        by_default = end_line - start_line + 1 == DEFAULT_LINES and end_line < len(lines)
        return shown._replace(truncated=shown.truncated or by_default)

    @tool()
    def inspect_symbol(self, name: str) -> Answer:
        """Definitions of `name` or `Class.attribute` with their source, attributes of classes, and calls by name."""
        wanted = unicodedata.normalize("NFKC", name)  # as Python compares names
        if not all(part.isidentifier() for part in wanted.split(".")) or len(name) > self.limits.max_query_chars:
            return rejected("name: expected a Python name, or names joined by dots")
        found = self._symbols.about(wanted)
        related = self._bounded(self._related(found), 2 * self.limits.max_hits, self.limits.max_answer_bytes // 2)
        taken = (related.output.count("\n") + 1, len(related.output.encode()) + 1) if related.output else (0, 0)
        most_lines, most_bytes = self.limits.max_span_lines - taken[0], self.limits.max_answer_bytes - taken[1]
        sources = self._bounded(self._sources(found), most_lines, most_bytes)
        output = "\n".join(filter(None, [sources.output, related.output]))
        return Answer(output or "no definition", sources.truncated or related.truncated or found.incomplete)

    def _sources(self, found: About) -> Iterator[str]:
        for made in found.definitions:
            source = lines_of(self.tree.by_path[made.path])[made.first_line - 1 : made.last_line]
            yield f"{made.path}:{made.first_line}-{made.last_line}: {made.kind} {made.name}"
            yield from (f"{number}: {line}" for number, line in enumerate(source, made.first_line))

    def _related(self, found: About) -> Iterator[str]:
        yield from map(attribute_line, found.attributes)
        read = lru_cache(maxsize=1)(lambda path: lines_of(self.tree.by_path[path]))
        yield from (call_line(call, read(call.path)[call.line - 1]) for call in found.calls)

    def _bounded(self, lines: Iterable[str], max_lines: int, max_bytes: int) -> Answer:
        """As many whole lines as fit; a longer line is cut."""
        kept: list[str] = []
        size_bytes, cut = 0, False
        for line in lines:
            short = line[: self.limits.max_line_chars]
            size_bytes += len(short.encode()) + 1
            if len(kept) == max_lines or size_bytes > max_bytes:
                return Answer("\n".join(kept), truncated=True)
            cut = cut or short != line
            kept.append(short)
        return Answer("\n".join(kept), truncated=cut)
