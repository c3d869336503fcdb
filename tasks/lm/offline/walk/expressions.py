"""Expressions of the walked subset, one function each."""

import ast
from collections.abc import Callable, Iterator
from functools import singledispatch
from typing import Any

from tasks.lm.offline.walk.calls import defaults
from tasks.lm.offline.walk.natives import EXCEPTIONS, NATIVES
from tasks.lm.offline.walk.operations import binary, compare, formatted
from tasks.lm.offline.walk.values import Function, Instance, Scope, Unsupported, kind_of, spelled
from tasks.lm.offline.walk.walker import Walker


@singledispatch
def evaluate(node: ast.expr, walker: Walker, scope: Scope) -> Any:
    """Walk one expression."""
    del walker, scope
    raise Unsupported(type(node).__name__)


@evaluate.register
def _(node: ast.Constant, walker: Walker, scope: Scope) -> Any:
    del walker, scope
    return node.value


@evaluate.register
def _(node: ast.Name, walker: Walker, scope: Scope) -> Any:
    del walker
    try:
        return scope.find(node.id)
    except NameError:
        if node.id in NATIVES:
            return NATIVES[node.id]
        if node.id in EXCEPTIONS:
            return EXCEPTIONS[node.id]
        raise


@evaluate.register
def _(node: ast.BinOp, walker: Walker, scope: Scope) -> Any:
    return binary(type(node.op), walker.value(node.left, scope), walker.value(node.right, scope))


@evaluate.register
def _(node: ast.UnaryOp, walker: Walker, scope: Scope) -> Any:
    value = walker.value(node.operand, scope)
    if isinstance(node.op, ast.Not):
        return not walker.truth(value)
    if isinstance(value, (int, float)) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return -value if isinstance(node.op, ast.USub) else +value
    raise Unsupported("a unary operator")


@evaluate.register
def _(node: ast.BoolOp, walker: Walker, scope: Scope) -> Any:
    value = None
    for part in node.values:
        value = walker.value(part, scope)
        if walker.truth(value) == isinstance(node.op, ast.Or):
            break
    return value


@evaluate.register
def _(node: ast.Compare, walker: Walker, scope: Scope) -> bool:
    left = walker.value(node.left, scope)
    for kind, side in zip(node.ops, node.comparators, strict=True):
        right = walker.value(side, scope)
        if not compare(type(kind), left, right):
            return False
        left = right
    return True


@evaluate.register
def _(node: ast.IfExp, walker: Walker, scope: Scope) -> Any:
    return walker.value(node.body if walker.truth(walker.value(node.test, scope)) else node.orelse, scope)


@evaluate.register
def _(node: ast.List, walker: Walker, scope: Scope) -> list[Any]:
    return walker.items(node.elts, scope)


@evaluate.register
def _(node: ast.Tuple, walker: Walker, scope: Scope) -> tuple[Any, ...]:
    return tuple(walker.items(node.elts, scope))


@evaluate.register
def _(node: ast.Set, walker: Walker, scope: Scope) -> set[Any]:
    return set(walker.items(node.elts, scope))


@evaluate.register
def _(node: ast.Dict, walker: Walker, scope: Scope) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            made |= walker.value(value, scope)
        else:
            made[walker.value(key, scope)] = walker.value(value, scope)
    return made


@evaluate.register
def _(node: ast.JoinedStr, walker: Walker, scope: Scope) -> str:
    return "".join(str(walker.value(part, scope)) for part in node.values)


@evaluate.register
def _(node: ast.FormattedValue, walker: Walker, scope: Scope) -> str:
    spec = str(walker.value(node.format_spec, scope)) if node.format_spec else ""
    value = walker.value(node.value, scope)
    return formatted(repr(spelled(value)) if node.conversion == ord("r") else value, spec)


@evaluate.register
def _(node: ast.Subscript, walker: Walker, scope: Scope) -> Any:
    held, key = walker.value(node.value, scope), walker.value(node.slice, scope)
    if isinstance(held, Instance) and "__getitem__" in held.cls.names:
        return walker.call(walker.attribute(held, "__getitem__"), [key])
    if isinstance(held, Instance):
        held = held.items
    if not isinstance(held, (str, list, tuple, dict, range)):
        raise TypeError(f"{kind_of(held)!r} object is not subscriptable")
    return held[key]


@evaluate.register
def _(node: ast.Slice, walker: Walker, scope: Scope) -> slice:
    parts = (walker.value(part, scope) if part else None for part in (node.lower, node.upper, node.step))
    return slice(*parts)


@evaluate.register
def _(node: ast.Attribute, walker: Walker, scope: Scope) -> Any:
    return walker.attribute(walker.value(node.value, scope), node.attr)


@evaluate.register
def _(node: ast.Lambda, walker: Walker, scope: Scope) -> Function:
    return Function(node, scope, defaults(node.args, walker, scope))


@evaluate.register
def _(node: ast.ListComp, walker: Walker, scope: Scope) -> list[Any]:
    return list(comprehended(walker, node.generators, scope, lambda inner: walker.value(node.elt, inner)))


@evaluate.register
def _(node: ast.GeneratorExp, walker: Walker, scope: Scope) -> list[Any]:
    return list(comprehended(walker, node.generators, scope, lambda inner: walker.value(node.elt, inner)))


@evaluate.register
def _(node: ast.SetComp, walker: Walker, scope: Scope) -> set[Any]:
    return set(comprehended(walker, node.generators, scope, lambda inner: walker.value(node.elt, inner)))


@evaluate.register
def _(node: ast.DictComp, walker: Walker, scope: Scope) -> dict[Any, Any]:
    def pair(inner: Scope) -> tuple[Any, Any]:
        return walker.value(node.key, inner), walker.value(node.value, inner)

    return dict(comprehended(walker, node.generators, scope, pair))


@evaluate.register
def _(node: ast.NamedExpr, walker: Walker, scope: Scope) -> Any:
    value = walker.value(node.value, scope)
    walker.assign(node.target, value, scope)
    return value


@evaluate.register
def _(node: ast.Call, walker: Walker, scope: Scope) -> Any:
    called = walker.value(node.func, scope)
    arguments = walker.items(node.args, scope)
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        given = walker.value(keyword.value, scope)
        keywords |= {keyword.arg: given} if keyword.arg else given
    return walker.call(called, arguments, keywords)


def comprehended(
    walker: Walker, generators: list[ast.comprehension], scope: Scope, body: Callable[[Scope], Any]
) -> Iterator[Any]:
    """What a comprehension yields."""
    if not generators:
        yield body(scope)
        return
    first, *rest = generators
    inner = Scope(scope.path, outer=scope)
    for item in walker.iterate(walker.value(first.iter, scope)):
        walker.assign(first.target, item, inner)
        if all(walker.truth(walker.value(test, inner)) for test in first.ifs):
            yield from comprehended(walker, rest, inner, body)
