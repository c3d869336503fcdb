"""Orders: what every tier tells the launcher in the same way."""

import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tasks.records.errors import Refusal, SandboxTrouble
from tasks.workspace.launch import Order
from tasks.workspace.pipes import Pipes
from tasks.workspace.sandbox import READ_FD, RESULTS_FD, WRITE_FD, Job, Limits, Mount, View

SANDBOX_UID = 64_217
"""Owns nothing anywhere; above ordinary users and below the ranges of subordinate uids."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
FOLDER_PREFIX = "proveout-"
LINKER_CACHE = "/etc/ld.so.cache"
MIN_INODES, BYTES_PER_INODE = 1024, 4096


def uid() -> int | None:
    """The uid to give up root for; None for an ordinary user, whose own uid is kept."""
    return SANDBOX_UID if os.geteuid() == 0 else None


def interpreter_prefix() -> str | None:
    """The base Python's folder, if the system folders do not already hold it."""
    prefix = os.path.realpath(sys.base_prefix)
    return None if prefix == "/usr" or prefix.startswith("/usr/") else prefix


def sources(job: Job) -> dict[str, str]:
    """Where each mount target comes from, links resolved.

    Raises SandboxTrouble for a source that is not there, Refusal for one of a writable view that is mounted twice.
    """
    found = {mount.target: os.path.realpath(mount.source) for mount in job.mounts}
    everywhere = list(found.values())
    for source in everywhere:
        if not Path(source).exists():
            raise SandboxTrouble(f"mount source {source!r} does not exist")
    for mount in writable(job):
        if everywhere.count(found[mount.target]) > 1:
            raise Refusal(f"mount source {found[mount.target]!r}: expected one mount of a writable view, got more")
    return found


def writable(job: Job) -> list[Mount]:
    """The mounts that are writable views."""
    return [mount for mount in job.mounts if mount.view is not None]


def patch(view: View) -> tuple[list[tuple[str, int, bytes]], list[str]]:
    """A view's files and what is gone, in the plain values that `launch.dress` takes."""
    files = [(file.path, 0o755 if file.mode == "100755" else 0o644, file.content) for file in view.files]
    return files, list(view.gone)


def views(job: Job) -> list[dict[str, Any]]:
    """The writable views as the launcher makes them: each over its source's own path."""
    made = []
    for mount in writable(job):
        files, gone = patch(mount.view or View())
        empty = scratch(Path(os.path.realpath(mount.source)), job.limits.work_bytes)
        made.append({**empty, "files": files, "gone": gone})
    return made


def scratch(folder: Path, max_bytes: int) -> dict[str, Any]:
    """A writable view of an empty folder. Files are counted too: an empty one takes memory, but no bytes."""
    inodes = max(MIN_INODES, max_bytes // BYTES_PER_INODE)
    return {"place": str(folder), "bytes": max_bytes, "inodes": inodes, "files": [], "gone": []}


def pipes_for(job: Job, *, stays: bool, namespace: bool = False) -> Pipes:
    """The status pipe, those that the job asks for, and one to tell a namespace's first process to its limiter."""
    led = ("first_process",) if namespace else ()
    return talking(job, "status", *results(job), stays=stays, to_child=led)


def results(job: Job) -> tuple[str, ...]:
    """The results pipe, if the job asks for one."""
    return ("results",) if job.results_fd else ()


def talking(job: Job, *to_parent: str, stays: bool, to_child: tuple[str, ...] = ()) -> Pipes:
    """These pipes and, for a child that stays, two to talk by: to us, or where its wires lead."""
    if not stays or job.wires is not None:
        return Pipes(*to_parent, to_child=to_child, wires=job.wires if stays else None)
    return Pipes(*to_parent, "out", to_child=("in", *to_child))


def environment(job: Job, pipes: Pipes, tmp: str) -> dict[str, str]:
    """All that the child finds in its environment; nothing is inherited."""
    known = {"results": RESULTS_FD, "in": READ_FD, "out": WRITE_FD}
    numbers = {known[name]: str(number) for name, number in pipes.theirs.items() if name in known}
    base = {"PATH": "/usr/bin:/bin", "HOME": tmp, "TMPDIR": tmp, "LANG": "C.UTF-8", "TZ": "UTC"}
    return {**base, "USER": "sandbox", "LOGNAME": "sandbox", **job.env, **numbers}


def rlimits(limits: Limits) -> list[tuple[int, int, int]]:
    """(kind, soft, hard) of what each process may use; processes are counted by the tier, which knows the namespace."""
    wanted = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
    ]
    if limits.cpu_seconds is not None:
        wanted.append((resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1))
    if limits.memory_bytes is not None:
        wanted.append((resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes))
    return wanted


def limit_processes(limits: Limits) -> tuple[int, int, int]:
    """A limit on the uid's processes where no namespace counts them apart: those that run now, and the job's own."""
    owner, running = uid() or os.geteuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            if process.stat().st_uid == owner:
                running += sum(1 for _ in (process / "task").iterdir())
    return (resource.RLIMIT_NPROC, running + limits.processes, running + limits.processes)


def placed(job: Job, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Where mount targets are, for a tier without mounts; and stand-ins for their parents, which show nothing else.

    A parent matters where something lists it: the import system finds a package by listing the folder it lies in.
    """
    places = sources(job)
    parents: dict[str, str] = {}
    for target, source in places.items():
        parent, name = os.path.split(target)
        stand_in = Path(parents.setdefault(parent, str(folder / str(len(parents)))))
        stand_in.mkdir(mode=0o755, parents=True, exist_ok=True)
        (stand_in / name).symlink_to(source)
    return places, parents


def translated(word: str, places: dict[str, str], parents: dict[str, str]) -> str:
    """`word`, or each part of a colon-separated list, with mount targets replaced by where they are.

    A part that is just a target's parent becomes its stand-in, unless it is / or /tmp, which exist everywhere.
    """

    def moved(part: str) -> str:
        if part in parents and part not in places and part not in {"/", "/tmp"}:  # noqa: S108
            return parents[part]
        for target in sorted(places, key=len, reverse=True):
            if part == target or part.startswith(f"{target}/"):
                return places[target] + part[len(target) :]
        return part

    return ":".join(map(moved, word.split(":")))


def order(job: Job, pipes: Pipes, *, argv: list[str], env: dict[str, str], held: list[str]) -> Order:
    """An order with every restriction of `launch` left to the tier."""
    return {
        "argv": argv, "env": env, "chdir": job.chdir, "uid": uid(), "sources": held, "rlimits": rlimits(job.limits),
        "handed_on": [number for name, number in pipes.theirs.items() if name != "status"],
        "kept": False, "processes": job.limits.processes, "ruleset": None, "filter": None, "views": [],
    }  # fmt: skip


@contextmanager
def private_folder() -> Iterator[Path]:
    """A fresh folder that nobody else may enter, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
