"""Ingest: read a repository once, into a value that cannot change any more.

Takes    a folder that other processes may be writing to.
Gives    a SourceTree of its regular files, and what was left out and why.
Refuses  a root that is no folder, a file over 1,000,000 bytes, over 20,000 files or 100,000,000 bytes in all.
Covered      links of any kind (none is followed or read), swaps of files and folders while reading, FIFOs and devices,
             mount points, version history, bytecode, files that usually hold secrets.
Not covered  a tree that is rewritten while it is read may be a mixture of both states.
Source       DESIGN.md, "Tool boundary".
"""

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from tasks.records.base import Record
from tasks.records.errors import Refusal
from tasks.records.tree import Mode, SourceFile, SourceTree
from tasks.workspace.paths import VERSION_CONTROL, fault

MAX_FILE_BYTES, MAX_FILES, MAX_TREE_BYTES = 1_000_000, 20_000, 100_000_000

EXCLUDED_FOLDERS = VERSION_CONTROL | {
    ".venv", "venv", "node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
    ".tox", ".nox", ".eggs", ".idea", ".vscode", ".proveout",
}  # fmt: skip
EXCLUDED_NAMES = (
    ".env", ".env.*", ".envrc", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", ".netrc", ".pypirc",
    ".npmrc", ".git-credentials", "*.pyc", "*.pyo", "*.pth", ".ds_store", ".git", "*.dist-info", "*.egg-info",
)  # fmt: skip
# O_NOFOLLOW: a link put here after the listing is an error, not a way out. O_NONBLOCK: nor is a FIFO a way to hang.
OPEN_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
OPEN_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY


class Ingested(Record):
    """A tree, and (path: reason) of everything that was met and left out, in path order."""

    tree: SourceTree
    skipped: tuple[str, ...]


def _excluded(name: str) -> bool:
    folded = name.casefold()
    return folded in EXCLUDED_FOLDERS or any(fnmatchcase(folded, pattern) for pattern in EXCLUDED_NAMES)


class Walk:
    """One pass below an open root; every open is relative to an open folder, and every check is on an open file."""

    def __init__(self, device: int) -> None:
        self.device, self.total_bytes, self.files = device, 0, 0
        self.skipped: list[str] = []

    def folder(self, folder_fd: int, prefix: str) -> Iterator[SourceFile]:
        for name in sorted(os.listdir(folder_fd)):
            path = prefix + name
            if _excluded(name):
                self.skipped.append(f"{path!r}: excluded by name")
            elif problem := fault(path):
                self.skipped.append(f"{path!r}: has {problem}")
            else:
                yield from self._entry(folder_fd, name, path)

    def _entry(self, folder_fd: int, name: str, path: str) -> Iterator[SourceFile]:
        try:
            kind = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
            if stat.S_ISDIR(kind.st_mode):
                yield from self._below(folder_fd, name, path)
            elif stat.S_ISREG(kind.st_mode):
                yield from self._file(folder_fd, name, path)
            else:
                self.skipped.append(f"{path!r}: neither a regular file nor a folder")
        except OSError as error:  # swapped, removed or unreadable since it was listed
            self.skipped.append(f"{path!r}: {error.strerror}")

    def _below(self, folder_fd: int, name: str, path: str) -> Iterator[SourceFile]:
        inner_fd = os.open(name, OPEN_FOLDER, dir_fd=folder_fd)
        try:
            if os.fstat(inner_fd).st_dev != self.device:
                self.skipped.append(f"{path!r}: on another device")
            else:
                yield from self.folder(inner_fd, f"{path}/")
        finally:
            os.close(inner_fd)

    def _file(self, folder_fd: int, name: str, path: str) -> Iterator[SourceFile]:
        with open(os.open(name, OPEN_FILE, dir_fd=folder_fd), "rb") as opened:  # noqa: PTH123 - below an open folder
            found = os.fstat(opened.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
                self.skipped.append(f"{path!r}: hard-linked, or swapped while it was read")
                return
            content = opened.read(MAX_FILE_BYTES + 1)
        self._count(path, len(content))
        mode: Mode = "100755" if found.st_mode & stat.S_IXUSR else "100644"
        yield SourceFile(path=path, mode=mode, content=content)

    def _count(self, path: str, size_bytes: int) -> None:
        self.files += 1
        self.total_bytes += size_bytes
        if size_bytes > MAX_FILE_BYTES:
            raise Refusal(f"repository file {path!r}: expected at most {MAX_FILE_BYTES:,} bytes, got more")
        if self.files > MAX_FILES or self.total_bytes > MAX_TREE_BYTES:
            raise Refusal(f"repository: expected at most {MAX_FILES:,} files and {MAX_TREE_BYTES:,} bytes, got more")


def survey(root: Path) -> Ingested:
    """Read the tree below `root`, and say what was left out. Raises Refusal."""
    try:
        root_fd = os.open(root, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    except OSError as error:
        raise Refusal(f"repository {str(root)!r}: expected a readable folder ({error.strerror})") from error
    try:
        walk = Walk(os.fstat(root_fd).st_dev)
        files = sorted(walk.folder(root_fd, ""), key=lambda file: file.path)
    finally:
        os.close(root_fd)
    return Ingested(tree=SourceTree(files=tuple(files)), skipped=tuple(sorted(walk.skipped)))


def ingest(root: Path) -> SourceTree:
    """The tree below `root`. Raises Refusal."""
    return survey(root).tree
