"""Explore: the next read-only call that the evidence so far asks for.

Takes    a Prompt with issue and evidence_so_far.
Gives    (tool, arguments); `finish` when what the failing tests reach has been read.
Refuses  nothing.

In order: the failing test, files of the traceback innermost first, what the tests import and the code that they reach,
then for a missing name a search, and each file that mentions it.
"""

import ast
import sys
from collections.abc import Iterator
from typing import Any

from tasks.lm.offline.chat import Prompt
from tasks.lm.offline.evidence import Evidence, read_evidence
from tasks.lm.offline.failure import Failure, is_test, read_failure
from tasks.lm.offline.names import missing_name
from tasks.lm.offline.walk.program import located, parsed

Call = tuple[str, dict[str, Any]]
FINISH = "finish"


def next_call(prompt: Prompt) -> Call:
    """The first wish that has not been granted or refused yet."""
    evidence = read_evidence(prompt.text("evidence_so_far"))
    failure = read_failure(evidence.failure)
    asked = {(call.tool, call.subject, call.arguments.get("start_line", "1")) for call in evidence.calls}
    for tool, arguments in _wishes(evidence, failure):
        subject = str(next(iter(arguments.values())))
        if (tool, subject, str(arguments.get("start_line", 1))) not in asked:
            return tool, arguments
    return FINISH, {}


def _wishes(evidence: Evidence, failure: Failure) -> Iterator[Call]:
    missing = missing_name(failure.message)
    for path in failure.test_paths[:2]:
        yield _read(path)
    for frame in failure.source_frames:
        yield _read(frame.path)
        yield from _rest(evidence, frame.path, frame.line)
    if missing:
        yield "search_repository", {"query": missing[2]}
    for path in evidence.hits:
        if path.endswith(".py") and not is_test(path):
            yield _read(path)
    for stem in _reached(evidence, failure):
        yield from _module(evidence, stem)
    if missing and missing[1]:
        yield "inspect_symbol", {"name": missing[1].rpartition(".")[2]}


def _read(path: str) -> Call:
    return "read_file", {"path": path}


def _rest(evidence: Evidence, path: str, line: int) -> Iterator[Call]:
    """The part of a long file around a line that has not been shown."""
    known = evidence.lines.get(path, {})
    if known and line not in known:
        yield "read_file", {"path": path, "start_line": max(known) + 1}


def _module(evidence: Evidence, stem: str) -> Iterator[Call]:
    """The spellings of a module's path, the likelier first, until one was read."""
    package = f"{stem}/__init__.py"
    spellings = [package, f"{stem}.py"] if "/" not in stem else [f"{stem}.py", package]
    roots = {path.partition("/")[0] for path in evidence.lines if path.startswith(("src/", "lib/"))}
    for spelling in [f"{root}/{spelling}" for root in sorted(roots) for spelling in spellings] + spellings:
        if located(stem, dict.fromkeys(evidence.lines, "")):
            return
        yield _read(spelling)


def _reached(evidence: Evidence, failure: Failure) -> list[str]:
    """Modules (as path stems) that the failing tests and the code reached from them import, nearest first."""
    files = evidence.sources
    found: dict[str, None] = {}
    pending = [path for path in files if is_test(path)] or [frame.path for frame in failure.source_frames]
    seen = set(pending)
    while pending:
        path = pending.pop(0)
        for stem in _imports(files, path):
            found.setdefault(stem)
            inner = located(stem, files)
            if inner and inner not in seen:
                seen.add(inner)
                pending.append(inner)
    tops = {path.partition("/")[0].removesuffix(".py") for path in [*files, *(frame.path for frame in failure.frames)]}
    tests = {stem.partition("/")[0] for path in files if is_test(path) for stem in _imports(files, path)}
    known = tops | tests
    return sorted(found, key=lambda stem: stem.partition("/")[0] not in known)  # what may be foreign comes last


_HOST = frozenset(sys.stdlib_module_names) | {"pytest", "hypothesis", "numpy", "pandas", "attr", "attrs"}


def _imports(files: dict[str, str], path: str) -> Iterator[str]:
    tree = parsed(files.get(path, ""))
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = list(_from(node, path, files))
        else:
            continue
        yield from (name.replace(".", "/") for name in names if name.partition(".")[0] not in _HOST)


def _from(node: ast.ImportFrom, path: str, files: dict[str, str]) -> Iterator[str]:
    """The module, and submodules that it may be asked for once the package itself was read."""
    base = path.split("/")[: -node.level] if node.level else []
    module = ".".join([*base, *([node.module] if node.module else [])])
    package = located(module.replace(".", "/"), files)
    if package is None or not package.endswith("__init__.py"):
        yield module
        return
    tree = parsed(files[package])
    given = (
        {
            alias.asname or alias.name
            for part in ast.walk(tree)
            for alias in getattr(part, "names", [])
            if isinstance(alias, ast.alias)
        }
        if tree
        else set()
    )
    given |= {part.name for part in tree.body if isinstance(part, (ast.FunctionDef, ast.ClassDef))} if tree else set()
    yield module
    yield from (f"{module}.{alias.name}" for alias in node.names if alias.name not in given and alias.name.islower())
