"""Symbols: where the names of a Python file are defined, set on `self`, and called.

Takes    the content of one file, foreign code that is parsed and never run.
Gives    an Outline, in line order; a file that does not parse has an empty one.
Not covered  names that are made at run time, by star imports or aliases: calls are told by the name that is written.
"""

import ast
import threading
import warnings
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tasks.records.tree import SourceFile

_WARNINGS = threading.Lock()  # filters are global; two threads must not restore one another's
Function = ast.FunctionDef | ast.AsyncFunctionDef
Kind = Literal["class", "function", "name", "attribute"]


class Definition(NamedTuple):
    """One definition: dotted name inside its file, and its lines, decorators included."""

    path: str
    kind: Kind
    name: str
    first_line: int
    last_line: int


class CallSite(NamedTuple):
    """One call by a written name: the last part of it, its line, and the function or class that it is in, or ""."""

    path: str
    name: str
    line: int
    within: str


class Outline(NamedTuple):
    """What one file defines and calls."""

    definitions: tuple[Definition, ...] = ()
    calls: tuple[CallSite, ...] = ()


class _Place(NamedTuple):
    """Where a node stands: the dotted name around it, of what kind, and whose `self` is called what."""

    scope: str = ""
    kind: Literal["module", "class", "function"] = "module"
    owner: str = ""
    self_name: str = ""

    def inner(self, node: ast.ClassDef | Function) -> "_Place":
        scope = self.dotted(node.name)
        if isinstance(node, ast.ClassDef):
            return _Place(scope, "class")
        if self.kind != "class":
            return self._replace(scope=scope, kind="function")  # what is nested in a method sees its self
        first = next((each.arg for each in (*node.args.posonlyargs, *node.args.args)), "")
        return _Place(scope, "function", owner=self.scope, self_name=first)

    def dotted(self, name: str) -> str:
        return f"{self.scope}.{name}" if self.scope else name


def parse(content: bytes) -> ast.Module | None:
    """The syntax tree, honouring an encoding declaration; None if there is none."""
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in foreign code is not ours to report
        try:
            return ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def outline(file: SourceFile) -> Outline:
    """Classes, functions, names assigned in a module or class body, attributes set on `self`, and calls."""
    tree = parse(file.content)
    if tree is None:
        return Outline()
    found: dict[tuple[Kind, str, int], Definition] = {}
    calls: list[CallSite] = []
    for node, place in _walk(tree):
        if isinstance(node, ast.Call) and (name := _called(node.func)):
            calls.append(CallSite(file.path, name, node.func.end_lineno or node.lineno, place.scope))
        for made in _made(node, place, file.path):
            line = 0 if made.kind == "attribute" else made.first_line  # of an attribute, the first assignment
            found.setdefault((made.kind, made.name, line), made)
    in_order = sorted(found.values(), key=lambda made: (made.first_line, made.name))
    return Outline(tuple(in_order), tuple(sorted(calls, key=lambda call: (call.line, call.name))))


def _walk(tree: ast.Module) -> Iterator[tuple[ast.AST, _Place]]:
    """Every node, in source order. A stack of our own: code may be nested deeper than we may recurse."""
    stack: list[tuple[ast.AST, _Place]] = [(tree, _Place())]
    while stack:
        node, place = stack.pop()
        yield node, place
        children = [(child, place) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.ClassDef | Function):
            inside, inner = {id(child) for child in node.body}, place.inner(node)
            children = [(child, inner if id(child) in inside else place) for child, _ in children]
        stack.extend(reversed(children))


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _made(node: ast.AST, place: _Place, path: str) -> Iterator[Definition]:
    """What this one node defines."""
    match node:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            kind: Kind = "class" if isinstance(node, ast.ClassDef) else "function"
            yield Definition(path, kind, place.dotted(node.name), first, node.end_lineno or node.lineno)
        case ast.Assign() | ast.AnnAssign() if place.kind != "function":
            for name in _targets(node):
                yield Definition(path, "name", place.dotted(name), node.lineno, node.end_lineno or node.lineno)
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if place.owner and name == place.self_name:
            yield Definition(path, "attribute", f"{place.owner}.{node.attr}", node.lineno, node.lineno)


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """Plain names, also those of `a, b = 1, 2`."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    flat = [
        part for target in targets for part in (target.elts if isinstance(target, ast.Tuple | ast.List) else [target])
    ]
    return [target.id for target in flat if isinstance(target, ast.Name)]
