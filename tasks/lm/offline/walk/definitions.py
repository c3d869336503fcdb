"""Statements that define: functions, classes and imports."""

import ast
from typing import Any

from tasks.lm.offline.walk.calls import defaults
from tasks.lm.offline.walk.modules import native_import
from tasks.lm.offline.walk.natives import EXCEPTIONS
from tasks.lm.offline.walk.statements import step
from tasks.lm.offline.walk.values import Class, Function, Module, Native, Scope, Unsupported
from tasks.lm.offline.walk.walker import Walker

_KINDS = {"property": "property", "cached_property": "property", "staticmethod": "static", "classmethod": "class"}
_IGNORED = frozenset({"dataclass", "total_ordering", "lru_cache", "cache", "parametrize", "fixture", "final"})


@step.register
def _(node: ast.FunctionDef, walker: Walker, scope: Scope) -> None:
    kind = "plain"
    for decorator in node.decorator_list:
        name = _decorator(decorator)
        if name in _KINDS:
            kind = _KINDS[name]
        elif name not in _IGNORED:
            raise Unsupported(f"decorator {name}")
    scope.names[node.name] = Function(node, _enclosing(scope), defaults(node.args, walker, scope), kind)


def _enclosing(scope: Scope) -> Scope:
    """A method does not see the names of its class body."""
    return scope.outer if "__class_body__" in scope.names and scope.outer else scope


def _decorator(node: ast.expr) -> str:
    named = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(named).rpartition(".")[2]


@step.register
def _(node: ast.ClassDef, walker: Walker, scope: Scope) -> None:
    decorators = {_decorator(decorator) for decorator in node.decorator_list}
    if not decorators <= _IGNORED:
        raise Unsupported("a class decorator")
    inner = Scope(scope.path, {"__class_body__": True}, scope)
    walker.body(node.body, inner)
    del inner.names["__class_body__"]
    named = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
    bases = tuple(base for base in _bases(node, walker, scope) if isinstance(base, Class))
    inner.names["__native__"] = tuple(EXCEPTIONS[name] for name in named if name in EXCEPTIONS)
    fields = _fields(node, bases) if "dataclass" in decorators or "NamedTuple" in named else _inherited(bases)
    is_tuple = "NamedTuple" in named or any(base.is_tuple for base in bases)
    scope.names[node.name] = Class(node.name, scope.path, inner.names, bases, fields, is_tuple)


def _fields(node: ast.ClassDef, bases: tuple[Class, ...]) -> tuple[str, ...]:
    found = {name: None for base in bases for name in base.fields or ()}
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            found[part.target.id] = None
    return tuple(found)


def _inherited(bases: tuple[Class, ...]) -> tuple[str, ...] | None:
    return next((base.fields for base in bases if base.fields is not None), None)


def _bases(node: ast.ClassDef, walker: Walker, scope: Scope) -> list[Any]:
    found = []
    for base in node.bases:
        try:
            found.append(walker.value(base, scope))
        except NameError:
            continue
    return found


@step.register
def _(node: ast.Import, walker: Walker, scope: Scope) -> None:
    for alias in node.names:
        bound = alias.asname or alias.name.partition(".")[0]
        target = alias.name if alias.asname else alias.name.partition(".")[0]
        scope.names[bound] = native_import(target) or Module(target, walker.load(target, 0, scope.path))


@step.register
def _(node: ast.ImportFrom, walker: Walker, scope: Scope) -> None:
    module = node.module or ""
    native = native_import(module) if not node.level else None
    holder = native.scope if native else walker.load(module, node.level, scope.path)
    for alias in node.names:
        bound = alias.asname or alias.name
        if holder is not None and alias.name in holder.names:
            scope.names[bound] = holder.names[alias.name]
            continue
        inner = None if native else walker.load(f"{module}.{alias.name}".strip("."), node.level, scope.path)
        if inner is None and holder is not None and not native:
            raise ImportError(f"cannot import name {alias.name!r} from {module!r}")
        scope.names[bound] = Module(alias.name, inner) if inner is not None else Native(alias.name, _unread)


def _unread(walker: Walker, *arguments: Any, **keywords: Any) -> Any:
    del walker, arguments, keywords
    raise Unsupported("a name whose module was not read")
