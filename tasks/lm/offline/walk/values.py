"""The values of the walked subset of Python: plain values, and the shapes below; never an object of the host."""

import ast
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_SIZE = 2_000
MAX_BITS = 256


class Unsupported(Exception):
    """The text goes beyond the walked subset; nothing can be said about it."""


class Spent(Unsupported):
    """The walk took more steps than its fuel."""


@dataclass(eq=False, repr=False)
class Scope:
    """Names, and where to look next; `path` is the file that the code stands in."""

    path: str
    names: dict[str, Any] = field(default_factory=dict)
    outer: "Scope | None" = None
    shared: set[str] = field(default_factory=set)
    yielded: list[Any] = field(default_factory=list)

    def find(self, name: str) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise NameError(f"name {name!r} is not defined")

    def holder(self, name: str) -> "Scope":
        """The scope in which an assignment binds a name, `global` and `nonlocal` heeded."""
        scope = self
        while name in scope.shared and scope.outer is not None:
            scope = scope.outer
            while scope.outer is not None and name not in scope.names:
                scope = scope.outer
        return scope


@dataclass(eq=False, repr=False)
class Function:
    """A def or a lambda, with the scope it closes over."""

    node: ast.FunctionDef | ast.Lambda
    scope: Scope
    defaults: dict[str, Any]
    kind: str = "plain"

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(eq=False, repr=False)
class Class:
    """A class statement: its names, its bases, and its fields in order where it is a dataclass or a named tuple."""

    name: str
    path: str
    names: dict[str, Any]
    bases: tuple["Class", ...] = ()
    fields: tuple[str, ...] | None = None
    is_tuple: bool = False

    @property
    def lineage(self) -> list["Class"]:
        """The class and all its bases, depth first."""
        return [self, *(cls for base in self.bases for cls in base.lineage)]

    def find(self, name: str) -> Any:
        for cls in self.lineage:
            if name in cls.names:
                return cls.names[name]
        raise AttributeError(f"type object {self.name!r} has no attribute {name!r}")


@dataclass(eq=False, repr=False)
class Instance:
    """An instance of a walked class; equal when class and attributes are, and to a tuple where it is a named one."""

    cls: Class
    attributes: dict[str, Any]

    @property
    def items(self) -> tuple[Any, ...]:
        """The fields of a named tuple, in order."""
        if not self.cls.is_tuple:
            raise TypeError(f"{self.cls.name!r} object is not iterable")
        return tuple(self.attributes[name] for name in self.cls.fields or ())

    def __eq__(self, other: object) -> bool:
        if "__eq__" in self.cls.names:
            raise Unsupported("an equality of its own")
        if isinstance(other, Instance):
            return self.cls is other.cls and self.attributes == other.attributes
        return self.cls.is_tuple and isinstance(other, tuple) and self.items == other

    def __hash__(self) -> int:
        return hash((self.cls.name, *self.attributes.values()))


@dataclass(frozen=True, eq=False, repr=False)
class Bound:
    """A function with its first argument."""

    function: Function
    first: Any


@dataclass(frozen=True, eq=False, repr=False)
class Native:
    """A named operation of the host on plain values."""

    name: str
    call: Callable[..., Any]


@dataclass(frozen=True, eq=False, repr=False)
class Module:
    """A walked module, or an opaque one when `scope` is None."""

    name: str
    scope: Scope | None


@dataclass(frozen=True)
class Approx:
    """pytest.approx of one number, list or dict."""

    value: Any

    def matches(self, other: Any) -> bool:
        """Whether pytest would call them equal, with its default tolerance."""
        mine = self.value
        if isinstance(mine, dict) and isinstance(other, dict):
            return mine.keys() == other.keys() and all(Approx(mine[key]).matches(other[key]) for key in other)
        if isinstance(mine, list | tuple) and isinstance(other, list | tuple):
            pairs = zip(mine, other, strict=False)
            return len(mine) == len(other) and all(Approx(one).matches(two) for one, two in pairs)
        if isinstance(mine, int | float) and isinstance(other, int | float):
            return math.isclose(mine, other, rel_tol=1e-6, abs_tol=1e-12)
        return bool(mine == other)


def bounded(value: Any) -> Any:
    """The value itself, if it is small enough."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise Spent("a number grew too large")
    if isinstance(value, (str, list, tuple, dict, set, frozenset, bytes)) and len(value) > MAX_SIZE:
        raise Spent("a value grew too large")
    return value


def parts(value: Any) -> Iterator[Any]:
    """The value and all that is in it, each as often as it occurs; Spent beyond MAX_SIZE."""
    pending, count = [value], 0
    while pending:
        part = pending.pop()
        count += 1
        if count > MAX_SIZE:
            raise Spent("a value grew too large")
        yield part
        if isinstance(part, Instance):
            pending.extend(part.attributes.values())
        elif isinstance(part, dict):
            pending.extend(part.keys())
            pending.extend(part.values())
        elif isinstance(part, list | tuple | set | frozenset):
            pending.extend(part)


def weighed(value: Any) -> Any:
    """The value itself, if it is small when every part is counted as often as it occurs."""
    for _ in parts(value):
        pass
    return value


def spelled(value: Any) -> Any:
    """The value itself, if Python spells it the same in every process: no set and no instance is in it."""
    for part in parts(value):
        if not isinstance(part, str | int | float | None | list | tuple | dict):
            raise Unsupported("a spelling of that value")
    return value


def order(value: Any) -> str:
    """A sort key that is the same in every process; sets have no order of their own."""
    if isinstance(value, Instance):
        return f"{value.cls.name}({', '.join(order(part) for part in value.attributes.values())})"
    return f"{type(value).__name__} {spelled(value)!r}"


def kind_of(value: Any) -> str:
    """The name of a value's type."""
    return value.cls.name if isinstance(value, Instance) else type(value).__name__
