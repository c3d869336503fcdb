"""Changes of single lines, and exact-once edits made of them.

Takes    lines by number, as the evidence shows them.
Gives    edits whose search text occurs exactly once at the moment it is applied.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MAX_CONTEXT = 40


@dataclass(frozen=True)
class Change:
    """Line `line` of `path` becomes `new`, which may hold several lines."""

    path: str
    line: int
    old: str
    new: str

    def applied(self, text: str) -> str:
        """`text` with the change made."""
        lines = text.split("\n")
        lines[self.line - 1] = self.new
        return "\n".join(lines)

    @property
    def is_insertion(self) -> bool:
        """Whether the old line stays as it is, behind new ones."""
        return self.new.endswith("\n" + self.old)


def replaced(path: str, lines: list[str], node: ast.expr | ast.stmt, text: str) -> Change | None:
    """A change of the source segment of `node`, if it stands on one line."""
    if node.end_lineno != node.lineno or node.end_col_offset is None:
        return None
    old = lines[node.lineno - 1]
    raw = old.encode()
    new = (raw[: node.col_offset] + text.encode() + raw[node.end_col_offset :]).decode()
    return Change(path, node.lineno, old, new) if new != old else None


def segment(lines: list[str], node: ast.expr | ast.stmt) -> str | None:
    """The source text of a node on one line."""
    if node.end_lineno != node.lineno:
        return None
    return lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()


def edits(changes: Iterable[Change], known: Mapping[str, Mapping[int, str]]) -> list[dict[str, str]]:
    """The changes as edits, file by file; empty when one of them cannot be made unique."""
    by_path: dict[str, dict[int, str]] = {}
    for change in changes:
        by_path.setdefault(change.path, {})[change.line] = change.new
    made: list[dict[str, str]] = []
    for path, wanted in sorted(by_path.items()):
        blocks = _blocks(wanted, known.get(path, {}))
        if not blocks:
            return []
        made += [{"path": path, "search": search, "replace": replace} for search, replace in blocks]
    return made


def _blocks(wanted: Mapping[int, str], lines: Mapping[int, str]) -> list[tuple[str, str]]:
    """One block a changed line; one block for them all where single ones would not be exact-once in turn."""
    if not set(wanted) <= set(lines):
        return []
    spans = [_unique(line, line, lines) for line in sorted(wanted)]
    blocks = [_block(span, wanted, lines) for span in spans if span]
    if len(blocks) == len(wanted) and _in_turn(blocks, _text(lines)):
        return blocks
    span = _unique(min(wanted), max(wanted), lines)
    return [_block(span, wanted, lines)] if span else []


def _unique(first: int, last: int, lines: Mapping[int, str]) -> tuple[int, int] | None:
    """The span, extended line by line until its text occurs once."""
    text = _text(lines)
    for _ in range(MAX_CONTEXT):
        search = "\n".join(lines.get(number, "") for number in range(first, last + 1))
        if search.strip() and text.count(search) == 1:
            return first, last
        if last + 1 in lines:
            last += 1
        if first - 1 in lines:
            first -= 1
    return None


def _block(span: tuple[int, int], wanted: Mapping[int, str], lines: Mapping[int, str]) -> tuple[str, str]:
    numbers = range(span[0], span[1] + 1)
    search = "\n".join(lines.get(number, "") for number in numbers)
    inside = {number: text for number, text in wanted.items() if number in numbers}
    return search, "\n".join(inside.get(number, lines.get(number, "")) for number in numbers)


def _in_turn(blocks: list[tuple[str, str]], text: str) -> bool:
    for search, replace in blocks:
        if text.count(search) != 1:
            return False
        text = text.replace(search, replace)
    return True


def _text(lines: Mapping[int, str]) -> str:
    return "\n".join(lines[number] for number in sorted(lines)) + "\n"
