"""Sandbox: what is asked of an isolation tier, and what it answers.

Takes    a Job: a command, mounts, an environment, limits. There is no field for a network.
Gives    an Ended: how the process ended as seen from outside, and bounded output.
Refuses  nothing of the code under test; a sandbox that breaks raises SandboxTrouble and is never an Ended.
Source   DESIGN.md, "Running and grading code".
"""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal, Protocol

from tasks.records.base import Record
from tasks.records.errors import Refusal
from tasks.records.tree import SourceFile

Tier = Literal["bubblewrap", "landlock", "none"]
How = Literal["exit", "signal", "timeout", "output_limit", "memory"]

RESULTS_FD = "PROVEOUT_RESULTS_FD"
READ_FD = "PROVEOUT_READ_FD"
WRITE_FD = "PROVEOUT_WRITE_FD"


class Limits(Record):
    """Ceilings of one run; None means none. CPU, memory and file size bind each process, not their sum."""

    wall_seconds: float | None = 20.0
    cpu_seconds: int | None = 20
    memory_bytes: int | None = 2 << 30
    total_memory_bytes: int | None = 4 << 30
    """Of all processes together, looked at a few times a second."""
    file_bytes: int = 64 << 20
    open_files: int = 256
    processes: int = 64
    tmp_bytes: int = 64 << 20
    shm_bytes: int = 16 << 20
    work_bytes: int = 256 << 20
    """Written to each writable view, the files that it starts with included; held in memory."""
    output_bytes: int = 1 << 20
    """Kept of each stream: three quarters from its head, one from its tail."""
    hard_output_bytes: int = 16 << 20
    """Written to stdout and stderr together, or to the results pipe, before everything is killed."""


@dataclass(frozen=True)
class View:
    """What a writable view of a folder shows first: without what is `gone`, and with `files`.

    A path in `gone` that ends in a slash is a folder that is empty once the paths before it are gone.
    """

    files: tuple[SourceFile, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mount:
    """`source` appears at `target`: read-only, or, with a `view`, as a writable view of the run's own.

    Nothing that is written to a view reaches `source`, another run or the time after this one, in any tier. Its size is
    bounded by `Limits.work_bytes` wherever the kernel lets us mount anything; where it does not, Landlock and no tier
    at all bound each file alone. A source with a view is a folder of plain files and folders that belong to whoever the
    sandbox runs as, and is a source of one mount only.
    """

    source: Path
    target: str
    view: View | None = None

    def __post_init__(self) -> None:
        target = PurePosixPath(self.target)
        if not target.is_absolute() or ".." in target.parts or str(target) != self.target or len(target.parts) < 2:
            raise Refusal(f"mount target {self.target!r}: expected a normal absolute path below /")


@dataclass(frozen=True)
class Job:
    """One command to confine.

    Words of `argv` and `env` may begin with mount targets, or be the parent folder of one; a tier without mounts
    translates them. `results_fd` opens a pipe whose number the child finds in PROVEOUT_RESULTS_FD. A child that stays
    reads and writes `wires`, descriptors of the caller's, where they are given: another child's, and not its own two
    pipes to us. `memfd` allows anonymous memory files, which no memory limit counts: only for our own worker.
    """

    argv: tuple[str, ...]
    mounts: tuple[Mount, ...] = ()
    chdir: str = "/"
    env: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    results_fd: bool = False
    wires: tuple[int, int] | None = None
    memfd: bool = False


@dataclass(frozen=True)
class Ended:
    """How a run ended, seen from outside. `status` is the exit status, the signal's number, or None if we killed it.

    "timeout", "output_limit" (a flood) and "memory" are limits that were passed; "signal" is a crash, or code that ends
    itself; our own fault is never an Ended. "memory" means that all processes together held more than declared, or that
    one died of SIGKILL, which was not ours, while the kernel was killing for want of memory. An allocation beyond the
    limit of one process only fails: what becomes of that (MemoryError and an exit, an abort) is the code's own end.
    """

    how: How
    status: int | None
    stdout: bytes
    stderr: bytes
    results: bytes
    truncated: bool
    seconds: float


class Running(Protocol):
    """A confined child that stays: it reads what is written to `writer`; what it writes is read from `reader`.

    Both are empty for a job with wires of its own.
    """

    reader: BinaryIO
    writer: BinaryIO

    @property
    def stderr(self) -> bytes:
        """Bounded head and tail of what it wrote so far."""
        ...

    def kill(self) -> None:
        """Kill the whole tree; harmless when repeated. Returns when nothing is left running."""
        ...

    def wait(self, timeout_seconds: float | None = None) -> Ended | None:
        """How it ended, or None if it still runs after the timeout. Raises SandboxTrouble if the sandbox broke."""
        ...


class Sandbox(Protocol):
    """One tier of isolation."""

    @property
    def tier(self) -> Tier: ...

    def run(self, job: Job) -> Ended:
        """Run to the end. Raises SandboxTrouble when the sandbox itself broke."""
        ...

    def start(self, job: Job) -> Running:
        """Start a child that stays, with two more pipes (PROVEOUT_READ_FD, PROVEOUT_WRITE_FD in its environment)."""
        ...
