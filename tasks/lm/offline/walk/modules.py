"""The modules that walked code may import beside its own: a list of names from each."""

import math
from typing import Any

from tasks.lm.offline.walk.natives import plain
from tasks.lm.offline.walk.values import Approx, Class, Module, Native, Scope, bounded
from tasks.lm.offline.walk.walker import Walker

_MATH = (
    *("ceil", "floor", "trunc", "sqrt", "fabs", "isclose", "gcd", "hypot", "log", "log2", "log10", "exp"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "radians", "degrees"),
)
_ABSENT = object()
_DEFAULT_FACTORY = "default_factory"


def _field(walker: Walker, *, default: Any = _ABSENT, default_factory: Any = None, **options: Any) -> Any:
    """dataclasses.field: a factory stays a Native, which a construction calls."""
    del options, walker
    if default_factory is not None:
        return Native(_DEFAULT_FACTORY, lambda inner: inner.call(default_factory, []))
    return default


def _approx(walker: Walker, value: Any, **options: Any) -> Approx:
    """pytest.approx; tolerances of its own are not heeded."""
    del walker, options
    return Approx(value)


def _namedtuple(walker: Walker, name: Any, fields: Any, **options: Any) -> Class:
    """collections.namedtuple, with its fields in a string or a list."""
    del options
    names = fields.replace(",", " ").split() if isinstance(fields, str) else list(walker.iterate(fields))
    return Class(str(name), "", {}, (), tuple(str(one) for one in names), is_tuple=True)


_MODULES: dict[str, dict[str, Any]] = {
    "math": {
        **{name: Native(name, plain(getattr(math, name))) for name in _MATH},
        "prod": Native("prod", lambda walker, items: bounded(math.prod(walker.iterate(items)))),
        "fsum": Native("fsum", lambda walker, items: math.fsum(walker.iterate(items))),
        "inf": math.inf,
        "pi": math.pi,
        "e": math.e,
    },
    "pytest": {
        "approx": Native("approx", _approx),
        "raises": None,
        "mark": None,
    },
    "dataclasses": {"dataclass": None, "field": Native("field", _field)},
    "collections": {"namedtuple": Native("namedtuple", _namedtuple)},
    "typing": dict.fromkeys(
        ("Any", "NamedTuple", "Optional", "Final", "Iterable", "Sequence", "Mapping", "Callable", "Protocol")
    ),
    "collections.abc": dict.fromkeys(("Iterable", "Iterator", "Sequence", "Mapping", "Callable", "Collection")),
    "functools": dict.fromkeys(("lru_cache", "cache", "cached_property", "total_ordering")),
    "__future__": {"annotations": None},
}


def native_import(module: str) -> Module | None:
    """A module of the list, opened afresh."""
    return Module(module, Scope(module, dict(_MODULES[module]))) if module in _MODULES else None
