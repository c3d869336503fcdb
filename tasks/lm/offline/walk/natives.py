"""What walked code finds ready: built-in functions, exceptions, and methods of plain values; each one bounded."""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tasks.lm.offline.walk.operations import binary, formatted, rounded
from tasks.lm.offline.walk.values import Function, Instance, Native, Unsupported, bounded, spelled, weighed
from tasks.lm.offline.walk.walker import Walker

TYPES: tuple[type, ...] = (int, float, str, bool, list, tuple, dict, set, frozenset)
EXCEPTIONS: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (
        Exception,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        LookupError,
        ZeroDivisionError,
        ArithmeticError,
        AttributeError,
        NameError,
        ImportError,
        RuntimeError,
        StopIteration,
        NotImplementedError,
        AssertionError,
        OverflowError,
    )
}
_MISSING, _MISSING_ATTRIBUTE = object(), object()


def _bare(value: Any) -> Any:
    if isinstance(value, Instance | Function):
        raise Unsupported("an instance where a plain value is needed")
    return weighed(value)


def _sum(walker: Walker, items: Any, start: Any = 0) -> Any:
    for item in walker.iterate(items):
        start = binary(ast.Add, start, item)
    return start


def _len(walker: Walker, value: Any) -> int:
    if isinstance(value, Instance) and not value.cls.is_tuple:
        return int(walker.call(walker.attribute(value, "__len__"), []))
    if isinstance(value, Instance):
        return len(value.items)
    return len(value)


def _extreme(pick: Callable[..., Any], walker: Walker, *values: Any, key: Any = None, default: Any = _MISSING) -> Any:
    items = list(walker.iterate(values[0])) if len(values) == 1 else list(values)
    if not items and default is not _MISSING:
        return default
    if key is None:
        return pick([_bare(item) for item in items])
    return pick(items, key=lambda item: walker.call(key, [item]))


def ordered(walker: Walker, items: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    """`sorted`."""
    found = list(walker.iterate(items))
    if key is None:
        return sorted((_bare(item) for item in found), reverse=reverse)
    return sorted(found, key=lambda item: walker.call(key, [item]), reverse=reverse)


def _next(walker: Walker, items: Any, default: Any = _MISSING) -> Any:
    for item in walker.iterate(items):
        return item
    if default is _MISSING:
        raise StopIteration
    return default


def _isinstance(walker: Walker, value: Any, kinds: Any) -> bool:
    del walker
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(value, Instance):
        return any(kind in value.cls.lineage for kind in wanted)
    named = tuple(kind for kind in TYPES for one in wanted if isinstance(one, Native) and one.name == kind.__name__)
    return isinstance(value, named)


def _made(kind: type, walker: Walker, *arguments: Any) -> Any:
    if not arguments:
        return kind()
    if kind in (list, tuple, set, frozenset):
        return kind(list(walker.iterate(arguments[0])))
    if kind is dict:
        held = arguments[0]
        return dict(held) if isinstance(held, dict) else {pair[0]: pair[1] for pair in walker.iterate(held)}
    return bounded(kind(spelled(arguments[0]) if kind is str else _bare(arguments[0])))


def _dict(walker: Walker, *arguments: Any, **keywords: Any) -> dict[Any, Any]:
    return {**_made(dict, walker, *arguments), **keywords}


def _getattr(walker: Walker, held: Any, name: str, default: Any = _MISSING) -> Any:
    try:
        return walker.attribute(held, name)
    except AttributeError:
        if default is _MISSING:
            raise
        return default


def _hasattr(walker: Walker, held: Any, name: str) -> bool:
    return _getattr(walker, held, name, _MISSING_ATTRIBUTE) is not _MISSING_ATTRIBUTE


def _map(walker: Walker, called: Any, *lists: Any) -> list[Any]:
    return [walker.call(called, list(row)) for row in zip(*(list(walker.iterate(one)) for one in lists), strict=False)]


def _filter(walker: Walker, called: Any, items: Any) -> list[Any]:
    return [
        item for item in walker.iterate(items) if walker.truth(item if called is None else walker.call(called, [item]))
    ]


def _range(walker: Walker, *bounds: Any) -> range:
    del walker
    return range(*bounds)


def _lists(walker: Walker, items: tuple[Any, ...]) -> list[list[Any]]:
    return [list(walker.iterate(one)) for one in items]


def plain(call: Callable[..., Any]) -> Callable[..., Any]:
    """A host function on plain values, with a bounded result."""
    return lambda walker, *arguments: bounded(call(*(_bare(argument) for argument in arguments)))  # noqa: ARG005


_CALLS: dict[str, Callable[..., Any]] = {
    "sum": _sum,
    "len": _len,
    "min": partial(_extreme, min),
    "max": partial(_extreme, max),
    "sorted": ordered,
    "next": _next,
    "isinstance": _isinstance,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "map": _map,
    "filter": _filter,
    "range": _range,
    "abs": plain(abs),
    "round": plain(rounded),
    "divmod": plain(divmod),
    "repr": lambda walker, value: bounded(repr(spelled(value))),  # noqa: ARG005
    "iter": lambda walker, items: list(walker.iterate(items)),
    "reversed": lambda walker, items: list(walker.iterate(items))[::-1],
    "enumerate": lambda walker, items, start=0: list(enumerate(walker.iterate(items), start)),
    "zip": lambda walker, *items, strict=False: list(zip(*_lists(walker, items), strict=strict)),
    "any": lambda walker, items: any(walker.truth(item) for item in walker.iterate(items)),
    "all": lambda walker, items: all(walker.truth(item) for item in walker.iterate(items)),
    "print": lambda walker, *items, **options: None,  # noqa: ARG005
    "format": lambda walker, value, spec="": formatted(value, spec),  # noqa: ARG005
    **{kind.__name__: partial(_made, kind) for kind in TYPES},
    "dict": _dict,
}
NATIVES: dict[str, Native] = {name: Native(name, call) for name, call in _CALLS.items()}

METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        (
            *(
                "split",
                "rsplit",
                "splitlines",
                "strip",
                "lstrip",
                "rstrip",
                "join",
                "replace",
                "partition",
                "rpartition",
            ),
            *("lower", "upper", "title", "capitalize", "casefold", "swapcase", "removeprefix", "removesuffix"),
            *("startswith", "endswith", "find", "rfind", "index", "count"),
            *("isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isnumeric"),
        )
    ),
    list: frozenset(
        ("append", "extend", "insert", "remove", "pop", "index", "count", "sort", "reverse", "copy", "clear")
    ),
    tuple: frozenset(("index", "count")),
    dict: frozenset(("get", "items", "keys", "values", "pop", "setdefault", "update", "copy", "clear")),
    set: frozenset(
        ("add", "discard", "remove", "union", "intersection", "difference", "issubset", "issuperset", "update")
    ),
    frozenset: frozenset(("union", "intersection", "difference", "issubset", "issuperset")),
    float: frozenset(("is_integer",)),
}
_TAKE_ITEMS = frozenset(("join", "extend", "update", "union", "intersection", "difference", "issubset", "issuperset"))


def native_method(held: Any, name: str) -> Native:
    """A listed method of a plain value."""
    kind = next((kind for kind in METHODS if type(held) is kind), None)
    if kind is None or name not in METHODS[kind]:
        if kind is None and not isinstance(held, int | float | None):
            raise Unsupported(f"attribute of {type(held).__name__}")
        raise AttributeError(f"{type(held).__name__!r} object has no attribute {name!r}")
    if name == "sort":
        return Native(name, lambda inner, **options: held.__setitem__(slice(None), ordered(inner, held, **options)))
    return Native(name, partial(_method, held, name))


def _method(held: Any, name: str, walker: Walker, *arguments: Any, **keywords: Any) -> Any:
    if name in _TAKE_ITEMS and arguments:
        first = arguments[0] if isinstance(arguments[0], dict) else list(walker.iterate(arguments[0]))
        arguments = (first, *arguments[1:])
    weighed([held, arguments, keywords])
    result = getattr(held, name)(*arguments, **keywords)
    bounded(held)
    return bounded(list(result)) if type(result).__name__.startswith("dict_") else bounded(result)
