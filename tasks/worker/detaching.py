"""Detaching: what a model asked for, as values that nobody else holds.

Takes    a tool's name and arguments, of any type and origin.
Gives    a Detached call: exact strings and integers, copied before anything is checked, asked or done, so that neither
         the caller nor an approver can change afterwards what was checked.
Refuses  as a problem, never as an exception: what is not an object with the declared names and types; a bool is no
         integer, and a subclass is not the type itself, because its methods are somebody's code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks.program.cleaning import clean, is_clean
from tasks.records.evidence import ToolCall

MAX_NAME_CHARS, MAX_KEPT_CHARS, MAX_KEPT_ARGUMENTS = 80, 100_000, 10
BOUNDS = f"texts of at most {MAX_KEPT_CHARS:,} characters in UTF-8, integers below 2^53"
_TYPES: Mapping[str, type] = {"string": str, "integer": int}

Arguments = tuple[tuple[str, str | int], ...]


@dataclass(frozen=True)
class Detached:
    """One call, and what is wrong with its form; empty when nothing is."""

    tool: str
    arguments: Arguments
    problem: str = ""

    def record(self) -> ToolCall:
        """What evidence holds of it: all of a valid call, and of any other what can be written down."""
        return ToolCall(tool=self.tool, arguments=dict(self.arguments))

    def values(self) -> dict[str, Any]:
        """The arguments, in a dict that is nobody else's."""
        return dict(self.arguments)


def detach(tool: object, arguments: object, declared: Mapping[str, Mapping[str, str]]) -> Detached:
    """One call to one of the `declared` tools, each of which has argument names and their kinds."""
    name = clean(tool[:MAX_NAME_CHARS]) if type(tool) is str else f"({type(tool).__name__})"
    given: dict[object, object] = dict(arguments) if type(arguments) is dict else {}
    kept = _kept(given)
    if type(tool) is not str or tool not in declared:
        return Detached(name, kept, f"unknown tool; expected one of {', '.join(sorted(declared)) or '(none)'}")
    expected = declared[tool]
    wanted = ", ".join(f"{key}: {kind}" for key, kind in expected.items()) or "(none)"
    # What is kept has exact types, so only then are keys compared: a key of another type may run code.
    fits = type(arguments) is dict and len(kept) == len(given) and given.keys() == expected.keys()
    if not fits or any(type(given[key]) is not _TYPES[kind] for key, kind in expected.items()):
        return Detached(name, kept, f"expected exactly these arguments: {wanted}; {BOUNDS}")
    return Detached(name, kept)


def _kept(given: Mapping[object, object]) -> Arguments:
    """Those that have a form in evidence, the first ten of them."""
    kept = [
        (key, value)
        for key, value in given.items()
        if type(key) is str and len(key) <= MAX_NAME_CHARS and is_clean(key) and _is_kept(value)
    ]
    return tuple(kept[:MAX_KEPT_ARGUMENTS])  # type: ignore[arg-type]  # checked a line above


def _is_kept(value: object) -> bool:
    """Exact types only: a subclass may say something else every time that it is asked."""
    if type(value) is str:
        return len(value) <= MAX_KEPT_CHARS and is_clean(value)
    return type(value) is int and is_clean(value)
