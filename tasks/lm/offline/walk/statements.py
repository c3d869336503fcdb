"""Statements of the walked subset, one function each; definitions.py adds those that define."""

import ast
from functools import singledispatch
from typing import Any

from tasks.lm.offline.walk.operations import binary, compare
from tasks.lm.offline.walk.signals import Asserted, Broke, Continued, Raised, Returned, is_a
from tasks.lm.offline.walk.values import Class, Scope, Unsupported
from tasks.lm.offline.walk.walker import Walker


@singledispatch
def step(node: ast.stmt, walker: Walker, scope: Scope) -> None:
    """Walk one statement."""
    del walker, scope
    raise Unsupported(type(node).__name__)


@step.register
def _(node: ast.Expr, walker: Walker, scope: Scope) -> None:
    if isinstance(node.value, ast.Yield):
        scope.yielded.append(walker.value(node.value.value, scope) if node.value.value else None)
    elif isinstance(node.value, ast.YieldFrom):
        scope.yielded.extend(walker.iterate(walker.value(node.value.value, scope)))
    else:
        walker.value(node.value, scope)


@step.register
def _(node: ast.Pass, walker: Walker, scope: Scope) -> None:
    del node, walker, scope


@step.register
def _(node: ast.Assign, walker: Walker, scope: Scope) -> None:
    value = walker.value(node.value, scope)
    for target in node.targets:
        walker.assign(target, value, scope)


@step.register
def _(node: ast.AnnAssign, walker: Walker, scope: Scope) -> None:
    if node.value is not None:
        walker.assign(node.target, walker.value(node.value, scope), scope)


@step.register
def _(node: ast.AugAssign, walker: Walker, scope: Scope) -> None:
    load = ast.copy_location(_loaded(node.target), node.target)
    value = binary(type(node.op), walker.value(load, scope), walker.value(node.value, scope))
    walker.assign(node.target, value, scope)


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    raise Unsupported("an augmented assignment")


@step.register
def _(node: ast.Return, walker: Walker, scope: Scope) -> None:
    raise Returned(walker.value(node.value, scope) if node.value else None)


@step.register
def _(node: ast.If, walker: Walker, scope: Scope) -> None:
    walker.body(node.body if walker.truth(walker.value(node.test, scope)) else node.orelse, scope)


@step.register
def _(node: ast.For, walker: Walker, scope: Scope) -> None:
    for item in walker.iterate(walker.value(node.iter, scope)):
        walker.assign(node.target, item, scope)
        try:
            walker.body(node.body, scope)
        except Continued:
            continue
        except Broke:
            return
    walker.body(node.orelse, scope)


@step.register
def _(node: ast.While, walker: Walker, scope: Scope) -> None:
    while walker.truth(walker.value(node.test, scope)):
        walker.burn()
        try:
            walker.body(node.body, scope)
        except Continued:
            continue
        except Broke:
            return
    walker.body(node.orelse, scope)


@step.register
def _(node: ast.Break, walker: Walker, scope: Scope) -> None:
    del node, walker, scope
    raise Broke


@step.register
def _(node: ast.Continue, walker: Walker, scope: Scope) -> None:
    del node, walker, scope
    raise Continued


@step.register
def _(node: ast.Global, walker: Walker, scope: Scope) -> None:
    del walker
    scope.shared.update(node.names)


@step.register
def _(node: ast.Nonlocal, walker: Walker, scope: Scope) -> None:
    del walker
    scope.shared.update(node.names)


@step.register
def _(node: ast.Delete, walker: Walker, scope: Scope) -> None:
    for target in node.targets:
        if not isinstance(target, ast.Subscript):
            raise Unsupported("a deletion")
        held = walker.value(target.value, scope)
        if not isinstance(held, (list, dict)):
            raise Unsupported("a deletion")
        del held[walker.value(target.slice, scope)]


@step.register
def _(node: ast.Assert, walker: Walker, scope: Scope) -> None:
    test = node.test
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.Is):
        sides = (walker.value(test.left, scope), walker.value(test.comparators[0], scope))
        if not compare(type(test.ops[0]), *sides):
            raise Asserted(sides)
    elif not walker.truth(walker.value(test, scope)):
        raise Asserted(None)


@step.register
def _(node: ast.Raise, walker: Walker, scope: Scope) -> None:
    if node.exc is None:
        raise Unsupported("a bare raise")
    raised = walker.value(node.exc, scope)
    if isinstance(raised, type):
        raised = raised()
    if isinstance(raised, Class):
        raised = walker.call(raised, [])
    raise raised if isinstance(raised, Exception) else Raised(raised)


@step.register
def _(node: ast.Try, walker: Walker, scope: Scope) -> None:
    error = walker.attempt(node.body, scope)
    if error is None:
        walker.body(node.orelse, scope)
    else:
        handler = next((one for one in node.handlers if _catches(one, error, walker, scope)), None)
        if handler is None:
            raise error
        if handler.name:
            scope.names[handler.name] = error
        walker.body(handler.body, scope)
    walker.body(node.finalbody, scope)


def _catches(handler: ast.ExceptHandler, error: Exception, walker: Walker, scope: Scope) -> bool:
    return handler.type is None or _is_one_of(error, walker.value(handler.type, scope))


def _is_one_of(error: Exception, wanted: Any) -> bool:
    return any(is_a(error, kind) for kind in (wanted if isinstance(wanted, tuple) else (wanted,)))


@step.register
def _(node: ast.With, walker: Walker, scope: Scope) -> None:
    """Only `with pytest.raises(...)`."""
    first = node.items[0]
    call = first.context_expr
    is_raises = isinstance(call, ast.Call) and ast.unparse(call.func).endswith("raises")
    if len(node.items) != 1 or first.optional_vars or not isinstance(call, ast.Call) or not is_raises or not call.args:
        raise Unsupported("with")
    error = walker.attempt(node.body, scope)
    if error is None:
        raise Asserted(None)
    if not _is_one_of(error, walker.value(call.args[0], scope)):
        raise error
