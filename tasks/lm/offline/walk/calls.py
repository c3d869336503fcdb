"""Attributes and calls of the walked subset."""

import ast
from typing import Any

from tasks.lm.offline.walk.natives import EXCEPTIONS, native_method
from tasks.lm.offline.walk.signals import Returned
from tasks.lm.offline.walk.values import (
    Bound,
    Class,
    Function,
    Instance,
    Module,
    Native,
    Scope,
    Spent,
    Unsupported,
    kind_of,
)
from tasks.lm.offline.walk.walker import Walker

MAX_DEPTH = 16


def attribute(walker: Walker, held: Any, name: str) -> Any:
    """`held.name`."""
    if isinstance(held, Instance):
        return _of_instance(walker, held, name)
    if isinstance(held, Class):
        return held.find(name)
    if isinstance(held, Module):
        if held.scope is None:
            raise Unsupported(f"module {held.name}")
        if name not in held.scope.names:
            raise AttributeError(f"module {held.name!r} has no attribute {name!r}")
        return held.scope.names[name]
    return native_method(held, name)


def _of_instance(walker: Walker, held: Instance, name: str) -> Any:
    if name in held.attributes:
        return held.attributes[name]
    try:
        found = held.cls.find(name)
    except AttributeError:
        raise AttributeError(f"{held.cls.name!r} object has no attribute {name!r}") from None
    if not isinstance(found, Function) or found.kind == "static":
        return found
    if found.kind == "property":
        return walker.call(found, [held])
    return Bound(found, held.cls if found.kind == "class" else held)


def call(walker: Walker, called: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`called(*arguments, **keywords)`."""
    if isinstance(called, Native):
        return called.call(walker, *arguments, **keywords)
    if isinstance(called, Bound):
        return walker.call(called.function, [called.first, *arguments], keywords)
    if isinstance(called, Class):
        return construct(walker, called, arguments, keywords)
    if isinstance(called, Function):
        return _enter(walker, called, arguments, keywords)
    if isinstance(called, type) and called in EXCEPTIONS.values():
        return called(*[item for item in arguments if isinstance(item, str | int | float)])
    raise TypeError(f"{kind_of(called)!r} object is not callable")


def construct(walker: Walker, cls: Class, arguments: list[Any], keywords: dict[str, Any]) -> Instance:
    """A new instance, by __init__ or by its fields."""
    made = Instance(cls, {})
    try:
        init = cls.find("__init__")
    except AttributeError:
        init = None
    if init is not None:
        walker.call(Bound(init, made), arguments, keywords)
        return made
    _fill(walker, made, arguments, dict(keywords))
    if "__post_init__" in cls.names:
        walker.call(Bound(cls.names["__post_init__"], made), [])
    return made


def _fill(walker: Walker, made: Instance, arguments: list[Any], keywords: dict[str, Any]) -> None:
    fields = made.cls.fields or ()
    if len(arguments) > len(fields):
        raise TypeError(f"{made.cls.name}() takes {len(fields)} positional arguments")
    made.attributes |= dict(zip(fields, arguments, strict=False))
    for name in fields[len(arguments) :]:
        made.attributes[name] = keywords.pop(name) if name in keywords else _default(walker, made.cls, name)
    if keywords:
        raise TypeError(f"{made.cls.name}() got an unexpected keyword argument {next(iter(keywords))!r}")


def _default(walker: Walker, cls: Class, name: str) -> Any:
    try:
        default = cls.find(name)
    except AttributeError:
        raise TypeError(f"{cls.name}() missing 1 required argument: {name!r}") from None
    return walker.call(default, []) if isinstance(default, Native) else default


def _enter(walker: Walker, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if walker.depth >= MAX_DEPTH:
        raise Spent("calls too deep")
    node = function.node
    inner = Scope(function.scope.path, bind(function, arguments, keywords), function.scope)
    walker.entered.setdefault((inner.path, node.lineno, function.name))
    walker.depth += 1
    try:
        if isinstance(node, ast.Lambda):
            return walker.value(node.body, inner)
        walker.body(node.body, inner)
    except Returned as returned:
        return inner.yielded if _yields(node) else returned.value
    finally:
        walker.depth -= 1
    return inner.yielded if _yields(node) else None


def _yields(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))


def bind(function: Function, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
    """Parameters by name. Raises TypeError in the words of Python."""
    spec, rest = function.node.args, dict(keywords)
    names = [arg.arg for arg in [*spec.posonlyargs, *spec.args]]
    if len(arguments) > len(names) and spec.vararg is None:
        raise TypeError(f"{function.name}() takes {len(names)} positional arguments but {len(arguments)} were given")
    bound = dict(zip(names, arguments, strict=False))
    for name in [*names[len(arguments) :], *(arg.arg for arg in spec.kwonlyargs)]:
        if name not in rest and name not in function.defaults:
            if not spec.kwarg and set(rest) - set(names) - {arg.arg for arg in spec.kwonlyargs}:
                break  # Python complains of the unexpected keyword first
            raise TypeError(f"{function.name}() missing 1 required positional argument: {name!r}")
        bound[name] = rest.pop(name) if name in rest else function.defaults[name]
    if spec.vararg:
        bound[spec.vararg.arg] = tuple(arguments[len(names) :])
    if spec.kwarg:
        bound[spec.kwarg.arg] = rest
    elif rest:
        raise TypeError(f"{function.name}() got an unexpected keyword argument {next(iter(rest))!r}")
    return bound


def defaults(spec: ast.arguments, walker: Walker, scope: Scope) -> dict[str, Any]:
    """Defaults by name, walked where the function is defined."""
    names = [arg.arg for arg in [*spec.posonlyargs, *spec.args]]
    given = dict(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True))
    only = {arg.arg: node for arg, node in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if node}
    return {name: walker.value(node, scope) for name, node in (given | only).items()}
