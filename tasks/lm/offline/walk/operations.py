"""The operations on walked values: each one is bounded before it is done."""

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from tasks.lm.offline.walk.values import MAX_SIZE, Approx, Instance, Spent, Unsupported, bounded, spelled, weighed

MAX_DIGITS, MAX_POWER = 30, 64
_SPEC = re.compile(r"[<>=^]?[+ -]?#?0?\d{0,2}[,_]?(\.\d{1,2})?[bcdeEfFgGnosxX%]?")

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_ORDERED = frozenset((ast.Lt, ast.LtE, ast.Gt, ast.GtE))


def binary(kind: type[ast.operator], left: Any, right: Any) -> Any:
    """One arithmetic step on bounded values."""
    if kind not in _BINARY or isinstance(left, Instance) or isinstance(right, Instance):
        raise Unsupported(kind.__name__)
    sizes = [len(side) for side in (left, right) if isinstance(side, (str, list, tuple))]
    counts = [side for side in (left, right) if isinstance(side, int)]
    if kind is ast.Mult and sizes and counts and sizes[0] * counts[0] > MAX_SIZE:
        raise Spent("a value grew too large")
    if kind is ast.Pow and (not isinstance(right, (int, float)) or abs(right) > MAX_POWER):
        raise Unsupported("a large power")
    if kind is ast.Mod and isinstance(left, (str, bytes)):
        raise Unsupported("printf formatting")
    return bounded(_BINARY[kind](left, right))


def compare(kind: type[ast.cmpop], left: Any, right: Any) -> bool:
    """One comparison; approximate values are equal within pytest's own tolerance."""
    weighed(left)
    weighed(right)
    if kind in (ast.Eq, ast.NotEq):
        return same(left, right) == (kind is ast.Eq)
    if isinstance(left, Instance) and kind in _ORDERED:
        raise Unsupported("an order of instances")
    return bool(_COMPARE[kind](left, right))


def same(left: Any, right: Any) -> bool:
    """Equality, with approx on either side."""
    if isinstance(right, Approx):
        return right.matches(left)
    if isinstance(left, Approx):
        return left.matches(right)
    return bool(left == right)


def formatted(value: Any, spec: str) -> str:
    """A value in an f-string, for widths and precisions of at most two digits."""
    if not _SPEC.fullmatch(spec):
        raise Unsupported("a format")
    return str(bounded(format(spelled(value), spec)))


def rounded(value: float, digits: int | None = None) -> float:
    """`round` on plain numbers."""
    if digits is not None and abs(digits) > MAX_DIGITS:
        raise Unsupported("rounding that far")
    return round(value, digits) if digits is not None else round(value)
