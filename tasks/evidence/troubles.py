"""Troubles: an outage of the tracking store is written down and never moves a score or stops a run.

Takes    what is being tried, in words, and the call that tries it.
Gives    the call's value, or None and one more line in `lines`. After three failures in a row it stops asking for a
         minute, because a dead server costs every call its whole patience.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from tasks.evidence.connection import one_line

T = TypeVar("T")
PATIENCE = 3
PAUSE_SECONDS = 60.0


class Troubles:
    """One-line warnings about `service`, in order; several services may share `lines`. `failures` counts our own."""

    def __init__(self, service: str = "MLflow", lines: list[str] | None = None) -> None:
        self.service = service
        self.lines: list[str] = [] if lines is None else lines
        self.failures = 0
        self._in_a_row, self._quiet_until = 0, 0.0

    def attempt(self, what: str, call: Callable[[], T]) -> T | None:
        """Call, or note why not. Interrupts and other BaseExceptions pass."""
        if time.monotonic() < self._quiet_until:
            reason = f"{self.service} failed {PATIENCE} times in a row, asking again later"
            self._note(what, reason)
            return None
        try:
            value = call()
        except Exception as error:  # noqa: BLE001  whatever it is, it is about tracking and not about the experiment
            self._note(what, one_line(error))
            self._in_a_row += 1
            if self._in_a_row >= PATIENCE:
                self._in_a_row, self._quiet_until = 0, time.monotonic() + PAUSE_SECONDS
            return None
        self._in_a_row = 0
        return value

    def _note(self, what: str, reason: str) -> None:
        self.failures += 1
        self.lines.append(f"not tracked: {what}: {reason}")
