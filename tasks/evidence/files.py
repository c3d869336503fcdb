"""Files: written whole or not at all, and locks between processes.

Takes    a path on a local file system.
Gives    after `write_whole`, either the old file or the new one on disk, also when the process or the machine dies.
Refuses  nothing; a disk that does not take the bytes stops the run, which the same command picks up again.
Source   DESIGN.md, "Principles", 5.
Not covered  a network file system whose rename or flock is not atomic.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.records.errors import Stopped

PRIVATE_FOLDER = 0o700


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary file beside `path`, sync, rename, sync the folder. Raises Stopped when the disk refuses."""
    try:
        _make_folder(path.parent)
        _replace(path, content)
        _sync_folder(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Stopped(f"cannot write {str(path)!r}: {reason}; make room and run the same again") from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` against other threads and processes; the kernel frees it when its holder dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def held(path: Path) -> Iterator[str | None]:
    """Hold `path` if nobody does: gives None, or the process id of who holds it. Never waits."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield os.pread(descriptor, 20, 0).decode(errors="replace") or "unknown"
            return
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield None
    finally:
        os.close(descriptor)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        _sync_folder(folder.parent)


def _replace(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=".tmp-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
