"""Where a fault may stand: the functions that a failing test went through, and the lines on its way.

Takes    a Program and its failing tests' Outcomes.
Gives    sites (function, file, lines) innermost first; module-level constants come last.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from tasks.lm.offline.failure import Failure, is_test
from tasks.lm.offline.walk.program import Outcome, Program, TestName, parsed

Node = TypeVar("Node", bound=ast.AST)
Def = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Site:
    """A function, or the module level where `node` is a Module, in a file."""

    path: str
    name: str
    node: Def | ast.Module
    lines: tuple[str, ...]

    @property
    def body(self) -> Iterator[ast.AST]:
        """Its nodes; for a module, only those of its plain assignments, also in classes."""
        if not isinstance(self.node, ast.Module):
            yield from ast.walk(self.node)
            return
        holders: list[ast.Module | ast.ClassDef] = [
            self.node,
            *(part for part in self.node.body if isinstance(part, ast.ClassDef)),
        ]
        for holder in holders:
            for part in holder.body:
                if isinstance(part, (ast.Assign, ast.AnnAssign)):
                    yield from ast.walk(part)


@dataclass(frozen=True)
class Inquiry:
    """A program, what its issue says, and how its tests come out as it stands."""

    program: Program
    issue: str
    failure: Failure

    @cached_property
    def outcomes(self) -> dict[TestName, Outcome]:
        return {test: self.program.outcome(test) for test in self.program.tests()}

    @cached_property
    def failing(self) -> dict[TestName, Outcome]:
        """Tests that fail here and in the run; those that the run does not name are not held against the code."""
        named = {(path, names) for path, names in self.failure.nodes}
        failed = {test: out for test, out in self.outcomes.items() if out.verdict in ("failed", "raised")}
        return {test: out for test, out in failed.items() if (test.path, test.names) in named} or failed

    @cached_property
    def passing(self) -> tuple[TestName, ...]:
        return tuple(test for test, out in self.outcomes.items() if out.verdict == "passed")

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Functions that the first failing test entered, the last entered first; then module levels."""
        outcome = next(iter(self.failing.values()), None)
        entered = reversed(outcome.entered) if outcome else ()
        found = [site for path, line, _ in entered if not is_test(path) and (site := self.site(path, line))]
        modules = [self.module(path) for path in sorted(self.program.files) if not is_test(path)]
        return tuple(dict.fromkeys([*found, *(site for site in modules if site)]))

    def site(self, path: str, line: int) -> Site | None:
        """The innermost function around a line."""
        tree, lines = self._opened(path)
        around = [n for n in ast.walk(tree) if isinstance(n, Def) and n.lineno <= line <= (n.end_lineno or 0)]
        around += [n for n in ast.walk(tree) if isinstance(n, Def) and n.lineno == line]
        return Site(path, around[-1].name, around[-1], lines) if around else None

    def module(self, path: str) -> Site | None:
        tree, lines = self._opened(path)
        return Site(path, "module level", tree, lines) if lines else None

    def _opened(self, path: str) -> tuple[ast.Module, tuple[str, ...]]:
        text = self.program.files.get(path, "")
        tree = parsed(text)
        return (tree, tuple(text.split("\n"))) if tree else (ast.Module([], []), ())

    def fields_beside(self, name: str) -> list[str]:
        """Fields of classes that also have the field `name`, in order."""
        found: dict[str, None] = {}
        for node in self._nodes(ast.ClassDef):
            own = [
                part.target.id
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            ]
            stored = [
                part.attr
                for part in ast.walk(node)
                if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
            ]
            if name in own or name in stored:
                found |= dict.fromkeys([*own, *stored])
        for call in self._nodes(ast.Call):
            text = [
                part.value for part in ast.walk(call) if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            names = [word for part in text[1:] for word in part.replace(",", " ").split()]
            if ast.unparse(call.func).endswith("namedtuple") and name in names:
                found |= dict.fromkeys(names)
        return [field for field in found if field != name]

    def keys_beside(self, name: str) -> list[str]:
        """Text keys of dict literals that also have the key `name`."""
        found: dict[str, None] = {}
        for node in self._nodes(ast.Dict):
            keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
            if name in keys:
                found |= dict.fromkeys(keys)
        return [key for key in found if key != name]

    def _nodes(self, kind: type[Node]) -> Iterator[Node]:
        for path in sorted(self.program.files):
            yield from (node for node in ast.walk(self._opened(path)[0]) if isinstance(node, kind))

    def repairs(self, program: Program) -> bool:
        """Whether every failing test passes in `program`, and no passing one ceases to."""
        if not self.failing or any(program.outcome(test).verdict != "passed" for test in self.failing):
            return False
        return all(program.outcome(test).verdict == "passed" for test in self.passing)
