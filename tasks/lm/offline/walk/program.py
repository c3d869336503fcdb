"""The files of the evidence as one program, and what its tests would do when walked.

Takes    {path: text} of Python files, and optionally lines that are changed in them.
Gives    for each test function an Outcome: passed, failed, raised or unknown.
Refuses  nothing: what cannot be parsed or walked is unknown.
"""

import ast
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, Literal

from tasks.lm.offline.failure import is_test
from tasks.lm.offline.walk import calls, definitions, expressions, statements
from tasks.lm.offline.walk.signals import Asserted, Signal
from tasks.lm.offline.walk.values import Class, Function, Scope, Unsupported
from tasks.lm.offline.walk.walker import Walker

FUEL, RESERVE = 20_000, 1_500_000  # steps of one test, and of a program with all that is changed in it
MAX_LEVELS = 60
_WARNINGS = threading.Lock()  # filters are global; two threads must not restore one another's
Verdict = Literal["passed", "failed", "raised", "unknown"]


@dataclass(frozen=True)
class Outcome:
    """How a walked test ended, where, and through which functions (path, line, name) it went."""

    verdict: Verdict
    kind: str = ""
    message: str = ""
    sides: tuple[Any, Any] | None = None
    entered: tuple[tuple[str, int, str], ...] = ()
    at: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class TestName:
    """A test function in a file, in a class or not."""

    __test__ = False

    path: str
    names: tuple[str, ...]


@lru_cache(maxsize=512)
def parsed(text: str) -> ast.Module | None:
    """The syntax tree, or None for text that is no Python, or nested deeper than people write it."""
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in foreign code is not ours to report
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    level: list[ast.AST] = [tree]
    for _ in range(MAX_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return None if level else tree


DEFINING = definitions.__name__  # imported for what it adds to statements.step


class Python:
    """The grammar of the walked subset."""

    evaluate = staticmethod(expressions.evaluate)
    step = staticmethod(statements.step)
    attribute = staticmethod(calls.attribute)
    call = staticmethod(calls.call)


@dataclass
class Reserve:
    """The steps that are left for a program and everything that is tried with it."""

    steps: int = RESERVE


class Program:
    """A set of files; walking one test loads modules afresh, so tests do not see one another."""

    def __init__(self, files: Mapping[str, str], reserve: Reserve | None = None) -> None:
        self.files, self.reserve = dict(files), reserve or Reserve()

    def changed(self, files: Mapping[str, str]) -> "Program":
        """The program with these files in place of its own."""
        return Program({**self.files, **files}, self.reserve)

    def tests(self) -> list[TestName]:
        """Every test function of every test file, in order."""
        found: list[TestName] = []
        for path in sorted(path for path in self.files if is_test(path)):
            tree = parsed(self.files[path])
            for node in tree.body if tree else []:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                    found.append(TestName(path, (node.name,)))
                elif isinstance(node, ast.ClassDef):
                    inner = (part for part in node.body if isinstance(part, ast.FunctionDef))
                    found += [TestName(path, (node.name, part.name)) for part in inner if part.name.startswith("test")]
        return found

    def outcome(self, test: TestName) -> Outcome:
        """Walk one test, on what is left of the reserve."""
        outcome, used = _walked(tuple(self.files.items()), test, min(FUEL, self.reserve.steps))
        self.reserve.steps -= used
        return outcome


@lru_cache(maxsize=2048)
def _walked(files: tuple[tuple[str, str], ...], test: TestName, fuel: int) -> tuple[Outcome, int]:
    """The outcome and the steps taken; a cache, because other instructions bring the same changes up again."""
    walk = _Walk(dict(files), fuel)
    return _ended(walk, test), walk.used


def _ended(walk: "_Walk", test: TestName) -> Outcome:
    try:
        walk.run(test)
    except Unsupported as error:
        return walk.ended("unknown", "Unsupported", str(error))
    except Asserted as error:
        return walk.ended("failed", "AssertionError", sides=error.sides)
    except RecursionError:
        return walk.ended("unknown", "RecursionError")
    except Exception as error:  # noqa: BLE001
        return walk.ended("raised", type(error).__name__, str(error))
    except Signal:
        return walk.ended("unknown", "SyntaxError", "a stray statement")
    return walk.ended("passed")


class _Walk:
    def __init__(self, files: Mapping[str, str], fuel: int) -> None:
        self.files, self.fuel = files, fuel
        self.scopes: dict[str, Scope] = {}
        self.walker = Walker(Python(), fuel, self.load)

    @property
    def used(self) -> int:
        """Steps taken."""
        return self.fuel - max(0, self.walker.fuel)

    def run(self, test: TestName) -> None:
        scope = self.module(test.path)
        if scope is None:
            raise Unsupported("a test file that does not parse")
        self.walker.entered.clear()
        self.walker.at.clear()
        held: Any = scope.find(test.names[0])
        if isinstance(held, Class) and len(test.names) > 1:
            held = self.walker.attribute(self.walker.call(held, []), test.names[1])
        for arguments in _parameters(held):
            values = {name: self.walker.value(node, scope) for name, node in arguments.items()}
            self.walker.call(held, [], self.fixtures(held, scope) | values)

    def fixtures(self, held: Any, scope: Scope) -> dict[str, Any]:
        """Values of the fixtures that stand in the same file; any other fixture is Unsupported."""
        function = held if isinstance(held, Function) else held.function
        names = [arg.arg for arg in function.node.args.args if arg.arg != "self"]
        given = {name for row in _parameters(held) for name in row}
        made: dict[str, Any] = {}
        for name in names:
            fixture = scope.names.get(name)
            if name not in given and not isinstance(fixture, Function):
                raise Unsupported(f"fixture {name}")
            if name not in given:
                made[name] = self.walker.call(fixture, [], self.fixtures(fixture, scope))
        return made

    def ended(
        self, verdict: Verdict, kind: str = "", message: str = "", sides: tuple[Any, Any] | None = None
    ) -> Outcome:
        return Outcome(verdict, kind, message, sides, tuple(self.walker.entered), tuple(self.walker.at))

    def load(self, dotted: str, level: int, importer: str) -> Scope | None:
        parts = [part for part in dotted.split(".") if part]
        if level:
            base = PurePosixPath(importer).parents[min(level, len(PurePosixPath(importer).parents)) - 1]
            parts = [part for part in base.parts if part != "."] + parts
        path = located("/".join(parts), self.files)
        return self.module(path) if path else None

    def module(self, path: str) -> Scope | None:
        if path in self.scopes:
            return self.scopes[path]
        tree = parsed(self.files[path])
        if tree is None:
            return None
        scope = self.scopes[path] = Scope(path)
        self.walker.body(tree.body, scope)
        return scope


def located(stem: str, files: Mapping[str, str]) -> str | None:
    """The file of a module: `stem`.py or `stem`/__init__.py at the root, under src/, or anywhere as the only one."""
    for ending in (f"{stem}.py", f"{stem}/__init__.py"):
        found = sorted(path for path in files if path == ending or path.endswith(f"/{ending}"))
        if found:
            return min(found, key=len)
    return None


def _parameters(held: Any) -> list[dict[str, ast.expr]]:
    """The argument sets of @pytest.mark.parametrize, one empty set without it."""
    function = held if isinstance(held, Function) else getattr(held, "function", None)
    rows: list[dict[str, ast.expr]] = [{}]
    for decorator in getattr(getattr(function, "node", None), "decorator_list", []):
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize"):
            rows = [{**row, **more} for row in rows for more in _rows(decorator)]
    return rows


def _rows(decorator: ast.Call) -> list[dict[str, ast.expr]]:
    names, values = decorator.args[:2] if len(decorator.args) > 1 else (None, None)
    if not isinstance(names, ast.Constant) or not isinstance(values, (ast.List, ast.Tuple)):
        raise Unsupported("a parametrization")
    split = [name.strip() for name in str(names.value).split(",")]
    rows: list[dict[str, ast.expr]] = []
    for value in values.elts:
        parts = value.elts if len(split) > 1 and isinstance(value, (ast.Tuple, ast.List)) else [value]
        rows.append(dict(zip(split, parts, strict=False)))
    return rows
