"""Starred: which names `from module import *` may bring into a test file from a module of the candidate's.

Takes    the frame that asks for `__all__`, and the names that the candidate would export.
Gives    the names that it may bring. A name that the tests or the interpreter already have stays theirs.
Covered  an export called `pytest`, `abs`, `time` or `isinstance`; names that no source can contain and that pytest's
         rewritten asserts or our own use; names that steer pytest.
"""

import builtins
import dis
import types
from collections.abc import Iterable

from tasks.workspace.separate.questions import by_name

ASKING = frozenset({"LOAD_ATTR", "LOAD_METHOD", "CALL", "PRECALL", "CALL_FUNCTION_EX"})
"""Instructions that read an attribute or call `getattr`; by which one a star imports depends on the interpreter."""


def is_star(frame: types.FrameType) -> bool:
    """Whether this frame executes `from module import *`, or the import system does it for another."""
    code = frame.f_code
    return code.co_filename.startswith("<frozen") or dis.opname[code.co_code[frame.f_lasti]] not in ASKING


class Stars:
    """What stars have brought so far: what one brought, the next may replace."""

    def __init__(self) -> None:
        self._brought: dict[int, set[str]] = {}

    def allowed(self, frame: types.FrameType, names: Iterable[object]) -> list[str]:
        """What is not bound yet in the frame's namespace, or is the candidate's already."""
        through = frame.f_code.co_filename.startswith("<frozen")
        bound: dict[str, object] = {} if through else frame.f_globals
        brought = self._brought.setdefault(id(frame.f_globals), set())
        found = [
            name for name in names if type(name) is str and is_free(name) and (name not in bound or name in brought)
        ]
        brought.update(() if through else found)
        return found


def is_free(name: str) -> bool:
    """Whether it is a name at all, and nobody's yet."""
    steers = name.startswith("pytest") or by_name(name) is not None
    return name.isidentifier() and not steers and not hasattr(builtins, name)
