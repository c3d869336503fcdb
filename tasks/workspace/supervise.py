"""Supervise: watch one process tree, bound what it says while it says it, and leave nothing running.

Takes    an Order for `launch`, and limits.
Gives    an Ended; or SandboxTrouble when the command under test never ran or its end was never reported.
Refuses  nothing; a tree that passes its deadline or its hard output limit is killed.
Covered  floods, daemons that hold a pipe open, a stalled results pipe, a leader that ends before its children, zombies.
Not covered  memory that a tree takes, and the machine lacks, between two looks at it.
Source   DESIGN.md, "Running and grading code".
"""

import json
import marshal
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Protocol

from tasks.records.errors import SandboxTrouble
from tasks.workspace import memory
from tasks.workspace.launch import Order
from tasks.workspace.pipes import Capture, Pipes
from tasks.workspace.sandbox import Ended, How, Limits

Why = Literal["ended", "stopped", "timeout", "output_limit", "memory"]

LAUNCH = Path(__file__).with_name("launch.py")
CHUNK_BYTES = 1 << 16
PATIENCE_SECONDS = 5.0
LOOK_SECONDS = 0.1


class Family(Protocol):
    """A process tree as `Watch` sees it: `pidfd` is readable when its root ended, `outputs` carry stdout and stderr."""

    pid: int
    pidfd: int
    outputs: tuple[int, ...]
    status: dict[str, Any]
    trouble: str

    def note(self, chunk: bytes) -> None: ...
    def end(self) -> None: ...
    def close(self) -> None: ...


class Notes:
    """What was said on the status pipe, which the code under test does not hold."""

    def __init__(self) -> None:
        self.status: dict[str, Any] = {}
        self.trouble, self._partial = "", b""

    def note(self, chunk: bytes) -> None:
        *lines, self._partial = (self._partial + chunk).split(b"\n")
        for line in filter(None, lines):
            if line.startswith(b"trouble: "):
                self.trouble = line[9:].decode(errors="replace")
            else:
                self.status.update(json.loads(line))


class Tree(Notes):
    """A launched process and all of its descendants, from spawn until proof that nothing is left."""

    def __init__(self, order: Order, pipes: Pipes) -> None:
        """Spawn. The calling thread must outlive the tree: the kernel kills the child when that thread ends."""
        super().__init__()
        numbers = tuple(pipes.theirs.values())
        order = {**order, "status_fd": pipes.theirs["status"], "parent": os.getpid()}
        order_fd = os.memfd_create("order")
        try:
            os.write(order_fd, marshal.dumps(order))
            os.lseek(order_fd, 0, os.SEEK_SET)
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(LAUNCH)], stdin=order_fd, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, env={}, cwd="/", pass_fds=numbers, start_new_session=True, bufsize=0,
            )  # fmt: skip
        finally:
            os.close(order_fd)
            pipes.close_theirs()
        self.outputs = tuple(stream.fileno() for stream in (self.process.stdout, self.process.stderr) if stream)
        self.pid = self.process.pid
        self.pidfd = os.pidfd_open(self.pid)
        self._first_process_fd = pipes.ours.get("first_process", -1)
        self._init_pidfd = -1

    def note(self, chunk: bytes) -> None:
        super().note(chunk)
        if "child-pid" in self.status and self._init_pidfd < 0:
            first = int(self.status["child-pid"])
            try:
                self._init_pidfd = os.pidfd_open(first)
                os.write(self._first_process_fd, str(first).encode())
            except OSError as error:  # it died already
                self.trouble = f"the sandbox died before it ran anything: {error}"

    def end(self) -> None:
        """Kill what is left and reap it. A PID namespace dies with its first process; a keeper sweeps when asked."""
        self._signal()
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self._init_pidfd >= 0:
            self._await_namespace()

    def close(self) -> None:
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        os.close(self.pidfd)
        if self._init_pidfd >= 0:
            os.close(self._init_pidfd)

    def _signal(self) -> None:
        target, number = (self._init_pidfd, signal.SIGKILL) if self._init_pidfd >= 0 else (self.pidfd, signal.SIGTERM)
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(target, number)

    def _await_namespace(self) -> None:
        """The first process of a PID namespace is gone only after every other one is."""
        with selectors.DefaultSelector() as gone:
            gone.register(self._init_pidfd, selectors.EVENT_READ)
            if not gone.select(PATIENCE_SECONDS):
                self.trouble = self.trouble or "processes survived the end of the sandbox"
        with suppress(ChildProcessError):  # ours to reap only where we are the reaper of orphans
            os.waitid(os.P_PIDFD, self._init_pidfd, os.WEXITED | os.WNOHANG)


class Watch:
    """One loop over everything that a tree can tell: output, results, status, its end, and a request to stop."""

    def __init__(self, tree: Family, pipes: Pipes, limits: Limits, stop_fd: int | None = None) -> None:
        self.tree, self.limits, self.stop_fd = tree, limits, stop_fd
        self.stdout, self.stderr = Capture(limits.output_bytes), Capture(limits.output_bytes)
        self.results = bytearray()
        self.readers: dict[int, Callable[[bytes], None]] = {pipes.ours["status"]: tree.note}
        if "results" in pipes.ours:
            self.readers[pipes.ours["results"]] = self.results.extend
        for output, capture in zip(tree.outputs, (self.stdout, self.stderr), strict=True):
            self.readers[output] = capture.feed
        self.started = self.looked = time.monotonic()
        self.kernel_kills = memory.kernel_kills()

    def to_the_end(self) -> Ended:
        """Watch, kill, drain, judge."""
        try:
            try:
                why = self._loop()
            finally:
                self.tree.end()
            self._drain()
        finally:
            self.tree.close()
        return self._judge(why, time.monotonic() - self.started)

    def _loop(self) -> Why:
        """Until there is a reason to look no further."""
        with selectors.DefaultSelector() as selector:
            for number, reader in self.readers.items():
                os.set_blocking(number, False)
                selector.register(number, selectors.EVENT_READ, reader)
            selector.register(self.tree.pidfd, selectors.EVENT_READ)
            if self.stop_fd is not None:
                selector.register(self.stop_fd, selectors.EVENT_READ)
            while (left_seconds := self._left_seconds()) is None or left_seconds > 0:
                for key, _ in selector.select(self._patience(left_seconds)):
                    if key.data is None:
                        return "ended" if key.fd == self.tree.pidfd else "stopped"
                    if not self._read(key.fd, key.data):
                        selector.unregister(key.fd)
                if self._flooded():
                    return "output_limit"
                if self.tree.trouble:
                    return "stopped"
                if self._too_large():
                    return "memory"
        return "timeout"

    def _left_seconds(self) -> float | None:
        wall = self.limits.wall_seconds
        return None if wall is None else self.started + wall - time.monotonic()

    def _patience(self, left_seconds: float | None) -> float | None:
        if self.limits.total_memory_bytes is None:
            return left_seconds
        return LOOK_SECONDS if left_seconds is None else min(LOOK_SECONDS, left_seconds)

    def _too_large(self) -> bool:
        """Look at the tree's memory, if it is time to."""
        limit, now = self.limits.total_memory_bytes, time.monotonic()
        if limit is None or now < self.looked + LOOK_SECONDS:
            return False
        self.looked = now
        return memory.exceeds(self.tree.pid, limit)

    def _flooded(self) -> bool:
        said = self.stdout.seen_bytes + self.stderr.seen_bytes
        return max(said, len(self.results)) > self.limits.hard_output_bytes

    @staticmethod
    def _read(number: int, reader: Callable[[bytes], None]) -> bool:
        """Whether there may be more to come."""
        try:
            chunk = os.read(number, CHUNK_BYTES)
        except BlockingIOError:
            return True
        reader(chunk)
        return bool(chunk)

    def _drain(self) -> None:
        """At most a full pipe each: what is still being written by somebody is not waited for."""
        for number, reader in self.readers.items():
            for _ in range(16):
                try:
                    chunk = os.read(number, CHUNK_BYTES)
                except BlockingIOError:
                    break
                if not chunk:
                    break
                reader(chunk)

    def _judge(self, why: Why, seconds: float) -> Ended:
        if self.tree.trouble:
            raise SandboxTrouble(f"the sandbox could not run the command: {self.tree.trouble}{self._said()}")
        how, status = self._outcome(why)
        return Ended(
            how=how, status=status, stdout=self.stdout.bytes(), stderr=self.stderr.bytes(), results=bytes(self.results),
            truncated=bool(self.stdout.cut_bytes or self.stderr.cut_bytes), seconds=seconds,
        )  # fmt: skip

    def _outcome(self, why: Why) -> tuple[How, int | None]:
        """What the launcher reported. bubblewrap passes a signal on as 128 + its number, as a shell does."""
        status = self.tree.status
        if why == "stopped":
            return "signal", signal.SIGKILL
        if why != "ended":
            if not {"released", "keeper"} & status.keys():
                raise SandboxTrouble(f"the sandbox had not started yet when the run ended ({why})")
            return why, None
        if "signal" in status:
            return self._killed(int(status["signal"]))
        if "exit-code" not in status:
            raise SandboxTrouble(f"the sandbox ended without a report of the command's end{self._said()}")
        code = int(status["exit-code"])
        return self._killed(code - 128) if 128 < code <= 192 else ("exit", code)

    def _killed(self, number: int) -> tuple[How, int]:
        starved = number == signal.SIGKILL and memory.kernel_kills() > self.kernel_kills
        return ("memory" if starved else "signal"), number

    def _said(self) -> str:
        said = " ".join(self.stderr.bytes()[-300:].decode(errors="replace").split())
        return f": {said}" if said else ""


def run(order: Order, pipes: Pipes, limits: Limits) -> Ended:
    """Launch and watch to the end in the calling thread."""
    return Watch(Tree(order, pipes), pipes, limits).to_the_end()
