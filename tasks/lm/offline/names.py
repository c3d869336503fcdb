"""Names that no longer exist: which one is stale, what it is called now, and where it still stands.

Takes    an Inquiry, or the words of a diagnosis.
Gives    a Stale name and the changes of each place that uses it, outside of tests.
Refuses  nothing: None where no stale name is seen or no new one can be told.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from tasks.lm.offline.changes import Change
from tasks.lm.offline.failure import is_test
from tasks.lm.offline.suspects import Inquiry
from tasks.lm.offline.walk.program import Program, located, parsed

_ERRORS: tuple[tuple[str, str], ...] = (
    ("name", r"module '(?P<owner>[\w.]+)' has no attribute '(?P<old>\w+)'"),
    ("attribute", r"(?:type object )?'(?P<owner>\w+)'(?: object)? has no attribute '(?P<old>\w+)'"),
    ("name", r"cannot import name '(?P<old>\w+)' from '(?P<owner>[\w.]+)'"),
    ("name", r"name '(?P<old>\w+)' is not defined(?P<owner>)"),
    ("keyword", r"(?:\w+\.)*(?P<owner>\w+)\(\) got an unexpected keyword argument '(?P<old>\w+)'"),
)
_HOST_TYPES = frozenset({"NoneType", "int", "float", "str", "bool", "list", "tuple", "dict", "set"})
SENTENCE = "The name `{old}` was renamed to `{new}` ({kind})."
_SENTENCE = re.compile(r"The name `(?P<old>\w+)` was renamed to `(?P<new>\w+)` \((?P<kind>attribute|name|keyword)\)\.")


@dataclass(frozen=True)
class Stale:
    """A name of a kind: an attribute of instances, a name of a module, or a keyword of a call."""

    old: str
    new: str
    kind: str

    @property
    def sentence(self) -> str:
        return SENTENCE.format(old=self.old, new=self.new, kind=self.kind)


def stale_in(text: str) -> Stale | None:
    """The stale name that a diagnosis speaks of."""
    match = _SENTENCE.search(text)
    return Stale(match["old"], match["new"], match["kind"]) if match else None


def missing_name(message: str) -> tuple[str, str, str] | None:
    """(kind, owner, old) of an error message about a name, or None."""
    for kind, pattern in _ERRORS:
        match = re.search(pattern, message)
        if match and not (kind == "attribute" and match["owner"] in _HOST_TYPES):
            return kind, match["owner"] or "", match["old"]
    return None


def find_stale(inquiry: Inquiry) -> Stale | None:
    """The first missing name of the failing run, with the new name that fits best."""
    messages = [inquiry.failure.message, *(outcome.message for outcome in inquiry.failing.values())]
    missing = next((found for message in messages if (found := missing_name(message))), None)
    if missing is None:
        return None
    kind, owner, old = missing
    ranked = sorted(
        (
            (_fit(inquiry, Stale(old, new, kind)), new)
            for new in _candidates(inquiry.program, kind, owner)
            if new != old
        ),
        key=lambda pair: (-pair[0], pair[1]),
    )
    return Stale(old, ranked[0][1], kind) if ranked and ranked[0][0] >= 1 else None


def _fit(inquiry: Inquiry, stale: Stale) -> float:
    """How well a new name fits: the tests pass with it, the issue speaks of it, it resembles the old one."""
    spoken = bool(re.search(rf"\b{re.escape(stale.new)}\b", inquiry.issue))
    alike = SequenceMatcher(None, stale.old.lower(), stale.new.lower(), autojunk=False).ratio()
    changed = inquiry.program.changed(renamed(inquiry.program, stale))
    return 10 * inquiry.repairs(changed) + 3 * spoken + 2 * alike


def _candidates(program: Program, kind: str, owner: str) -> list[str]:
    if kind == "attribute":
        return list(dict.fromkeys(name for tree in _trees(program) for name in _members(tree, owner)))
    if kind == "keyword":
        return list(dict.fromkeys(name for tree in _trees(program) for name in _parameters(tree, owner)))
    path = located(owner.replace(".", "/"), program.files) if owner else None
    paths = [path] if path else [path for path in sorted(program.files) if not is_test(path)]
    return list(dict.fromkeys(name for path in paths for name in _top_level(parsed(program.files[path]))))


def _trees(program: Program) -> Iterator[ast.Module]:
    for path in sorted(program.files):
        if tree := parsed(program.files[path]):
            yield tree


def _members(tree: ast.Module, owner: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            for part in ast.walk(node):
                if isinstance(part, ast.FunctionDef) and not part.name.startswith("__"):
                    yield part.name
                elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                    yield part.target.id
                elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                    yield part.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("namedtuple"):
            texts = [
                part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            if texts[:1] == [owner]:
                yield from (word for text in texts[1:] for word in text.replace(",", " ").split())


def _parameters(tree: ast.Module, owner: str) -> Iterator[str]:
    for node in ast.walk(tree):
        named = isinstance(node, ast.FunctionDef) and node.name == owner
        inside = isinstance(node, ast.ClassDef) and node.name == owner
        if named or inside:
            yield from (
                part.arg for part in ast.walk(node) if isinstance(part, ast.arg) and part.arg not in ("self", "cls")
            )
        if inside:
            yield from _members(tree, owner)


def _top_level(tree: ast.Module | None) -> Iterator[str]:
    for node in tree.body if tree else []:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def places(program: Program, stale: Stale) -> list[Change]:
    """One change a line, for each line outside of tests that uses the stale name, in path and line order."""
    return [change for path in sorted(program.files) if not is_test(path) for change in _places(program, path, stale)]


def renamed(program: Program, stale: Stale) -> dict[str, str]:
    """The files with every place changed."""
    files = dict(program.files)
    for change in places(program, stale):
        files[change.path] = change.applied(files[change.path])
    return files


def _places(program: Program, path: str, stale: Stale) -> Iterator[Change]:
    text = program.files[path]
    tree, lines = parsed(text), text.split("\n")
    if tree is None:
        return
    by_line: dict[int, list[int]] = {}
    for line, column in _positions(program, tree, stale):
        by_line.setdefault(line, []).append(column)
    width = len(stale.old.encode())
    for line, columns in sorted(by_line.items()):
        raw = lines[line - 1].encode()
        for column in sorted(set(columns), reverse=True):
            if raw[column : column + width] == stale.old.encode():
                raw = raw[:column] + stale.new.encode() + raw[column + width :]
        yield Change(path, line, lines[line - 1], raw.decode())


def _positions(program: Program, tree: ast.Module, stale: Stale) -> Iterator[tuple[int, int]]:
    """(line, byte column) of each use."""
    bound = _binds(tree, stale.old)
    owners = [
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and stale.old in _members(tree, node.name)
    ]
    own = {id(part) for node in owners for part in ast.walk(node)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr == stale.old
            and stale.kind != "keyword"
            and id(node) not in own
        ):
            yield node.end_lineno or 0, (node.end_col_offset or 0) - len(stale.old.encode())
        elif (isinstance(node, ast.alias) and node.name == stale.old and stale.kind == "name") or (
            isinstance(node, ast.Name) and node.id == stale.old and stale.kind == "name" and not bound
        ):
            yield node.lineno, node.col_offset
        elif isinstance(node, ast.Call):
            yield from _keywords(program, node, stale)


def _keywords(program: Program, call: ast.Call, stale: Stale) -> Iterator[tuple[int, int]]:
    callee = ast.unparse(call.func).rpartition(".")[2]
    for keyword in call.keywords:
        if keyword.arg != stale.old or stale.kind == "name":
            continue
        taken = [name for tree in _trees(program) for name in _parameters(tree, callee)]
        if stale.new in taken and stale.old not in taken:
            yield keyword.lineno, keyword.col_offset


def _binds(tree: ast.Module, name: str) -> bool:
    """Whether a file has a thing of its own by that name."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return True
        if isinstance(node, ast.arg) and node.arg == name:
            return True
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.alias) and node.asname == name:
            return True
    return False
