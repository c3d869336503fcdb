"""Running: a confined child that stays, watched by a thread of its own.

The thread also spawns it: the kernel ties a launched child's life to the thread that made it, so it lives as long.
"""

import io
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import BinaryIO

from tasks.workspace.pipes import Pipes
from tasks.workspace.sandbox import Ended, Limits
from tasks.workspace.supervise import Family, Watch


class LiveChild:
    """`sandbox.Running` over a process tree. `reader` and `writer` belong to the caller, who may close them."""

    def __init__(self, spawn: Callable[[], Family], pipes: Pipes, limits: Limits, held: ExitStack) -> None:
        """`held` is closed when nothing of the child is left: its pipes, its folder. It is told of trouble."""
        self.reader: BinaryIO = os.fdopen(pipes.ours.pop("out"), "rb") if "out" in pipes.ours else io.BytesIO()
        self.writer: BinaryIO = os.fdopen(pipes.ours.pop("in"), "wb") if "in" in pipes.ours else io.BytesIO()
        self._stop_fd = os.eventfd(0)
        self._watch: Watch | None = None
        self._ended: Ended | None = None
        self._error: BaseException | None = None
        self._spawned = threading.Event()
        self._thread = threading.Thread(target=self._live, args=(spawn, pipes, limits, held), daemon=True)
        self._thread.start()
        self._spawned.wait()

    def _live(self, spawn: Callable[[], Family], pipes: Pipes, limits: Limits, held: ExitStack) -> None:
        try:
            with held:
                self._watch = Watch(spawn(), pipes, limits, self._stop_fd)
                self._spawned.set()
                self._ended = self._watch.to_the_end()
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            self._error = error
        finally:
            self._spawned.set()

    @property
    def stderr(self) -> bytes:
        return self._watch.stderr.bytes() if self._watch else b""

    def kill(self) -> None:
        os.eventfd_write(self._stop_fd, 1)
        self._thread.join()
        for end in (self.reader, self.writer):
            with suppress(BrokenPipeError):  # what was buffered has no reader any more
                end.close()

    def wait(self, timeout_seconds: float | None = None) -> Ended | None:
        self._thread.join(timeout_seconds)
        if self._error is not None:
            raise self._error
        return self._ended

    def __del__(self) -> None:
        os.close(self._stop_fd)
