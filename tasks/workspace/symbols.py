"""Symbols: where the names of a Python file are defined; a file that does not parse defines nothing."""

import ast
import threading
import warnings
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tasks.records.tree import SourceFile

_WARNINGS = threading.Lock()  # filters are global; two threads must not restore one another's


class Definition(NamedTuple):
    """One definition: dotted name inside its file, and its lines, decorators included."""

    path: str
    kind: Literal["class", "function", "name"]
    name: str
    first_line: int
    last_line: int


def parse(content: bytes) -> ast.Module | None:
    """The syntax tree, honouring an encoding declaration; None if there is none."""
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in foreign code is not ours to report
        try:
            return ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def definitions(file: SourceFile) -> list[Definition]:
    """Classes, functions, and names assigned in a module or class body; in line order."""
    tree = parse(file.content)
    try:
        return list(_inside(tree, file.path, "")) if tree else []
    except RecursionError:
        return []


def _inside(body: ast.AST, path: str, prefix: str) -> Iterator[Definition]:
    for node in ast.iter_child_nodes(body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            kind: Literal["class", "function"] = "class" if isinstance(node, ast.ClassDef) else "function"
            yield Definition(path, kind, prefix + node.name, first, node.end_lineno or node.lineno)
            yield from _inside(node, path, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(body, ast.Module | ast.ClassDef):
            for name in _targets(node):
                yield Definition(path, "name", prefix + name, node.lineno, node.end_lineno or node.lineno)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _inside(node, path, prefix)


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]
