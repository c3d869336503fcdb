"""Calling: a tool's arguments are bound to its signature and checked by type before the tool runs.

Takes    whatever a model, an optimizer or a test hands over.
Gives    the tool's Answer, or a `rejected` one that names what was expected and quotes nothing of what came.
Refuses  as an answer: unknown, missing and doubled arguments, another type (a bool is no integer), text that is long,
         has no UTF-8 form or holds control characters, an integer beyond a file's lines.
Not covered  an exception of the tool itself: it is our own fault and propagates.
Source   DESIGN.md, "Tool boundary".
"""

import inspect
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, Literal, NamedTuple

from tasks.records.tools import LIMITS, Argument

MAX_INTEGER = 1_000_000
TYPES: Mapping[object, str] = {str: "string", int: "integer"}
EXPECTED: Mapping[type, str] = {
    str: f"one line of text, at most {LIMITS.max_argument_chars:,} characters",
    int: f"a whole number from 1 to {MAX_INTEGER:,}",
}
ODD = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class Answer(NamedTuple):
    """What a tool says. Truncation is told here and never in the text."""

    output: str
    truncated: bool = False
    status: Literal["ok", "rejected"] = "ok"


def rejected(reason: str) -> Answer:
    return Answer(reason, status="rejected")


def tool(counted_from: Mapping[str, str] | None = None) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a tool of a method. A default in `counted_from` counts from where another argument begins."""

    def wrapped(method: Callable[..., Answer]) -> Callable[..., Answer]:
        signature = inspect.signature(method)

        @wraps(method)
        def call(snapshot: object, /, *given: object, **named: object) -> Answer:
            try:
                bound = signature.bind(snapshot, *given, **named)
            except TypeError:
                return rejected(f"expected the arguments {', '.join(list(signature.parameters)[1:])}")
            if problem := _problem(signature, bound.arguments):
                return rejected(problem)
            for name, origin in (counted_from or {}).items():
                if name not in bound.arguments and origin in bound.arguments:
                    bound.arguments[name] = bound.arguments[origin] - 1 + signature.parameters[name].default
            return method(*bound.args, **bound.kwargs)

        return call

    return wrapped


def _problem(signature: inspect.Signature, arguments: Mapping[str, Any]) -> str | None:
    """The first argument that is not what its annotation says."""
    for name, value in list(arguments.items())[1:]:
        wanted = signature.parameters[name].annotation
        if not FITS[wanted](value):
            return f"{name}: expected {EXPECTED[wanted]}"
    return None


def _is_line_of_text(value: object) -> bool:
    return (
        type(value) is str
        and len(value) <= LIMITS.max_argument_chars
        and not any(character != "\t" and unicodedata.category(character) in ODD for character in value)
    )


def _is_number(value: object) -> bool:
    return type(value) is int and 1 <= value <= MAX_INTEGER


FITS: Mapping[type, Callable[[object], bool]] = {str: _is_line_of_text, int: _is_number}


def arguments_of(method: Callable[..., Answer]) -> Iterator[Argument]:
    """What a tool really takes, read off its signature; `self` is left out. A type of no tool is told as it is."""
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        annotation, default = parameter.annotation, parameter.default
        kept = default if isinstance(default, str | int) else repr(default)
        yield Argument(
            name=parameter.name,
            type=TYPES.get(annotation) or getattr(annotation, "__name__", str(annotation)),
            default=None if default is inspect.Parameter.empty else kept,
        )
