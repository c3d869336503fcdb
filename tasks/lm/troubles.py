"""Trouble that may pass, and the patience with it.

Takes    one trouble after the other, of one call.
Gives    how long to wait before the next try, in seconds: a doubling pause, or what the provider asked for.
Refuses  to wait beyond the declared patience, which begins with the first trouble (ProviderTrouble, exit 5, resumable).
"""

import time
from collections.abc import Callable

from tasks.records.errors import ProviderTrouble

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0


class PassingTrouble(ProviderTrouble):
    """Trouble after which the same request may succeed; `after_seconds` is what the provider asked to wait."""

    def __init__(self, text: str, after_seconds: float | None = None) -> None:
        super().__init__(text)
        self.after_seconds = after_seconds


class Patience:
    """One call's patience."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._since: float | None = None
        self._tries = 0

    def pause_seconds(self, trouble: PassingTrouble) -> float:
        """How long to wait. Raises ProviderTrouble when that would outlast the patience."""
        now = self._clock()
        if self._since is None:
            self._since = now
        doubled = min(FIRST_PAUSE_SECONDS * 2**self._tries, LONGEST_PAUSE_SECONDS)
        asked = trouble.after_seconds
        pause = doubled if asked is None else asked
        self._tries += 1
        if now + pause - self._since > self._seconds:
            wish = f", which asks for {asked:g} s" if asked else ""
            raise ProviderTrouble(
                f"{trouble}; given up after {self._tries} tries{wish} (patience {self._seconds:g} s); "
                "the same command goes on from here"
            )
        return pause
