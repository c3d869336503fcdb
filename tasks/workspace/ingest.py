"""Ingest: read a repository once, into a value that cannot change any more.

Takes    a folder that other processes may be writing to, and name patterns that stay out beside those of `exclusions`.
Gives    a SourceTree of its regular files, and every name that was met and left out, with its reason.
Refuses  a root that is no folder, is itself a link, or is spelled with `..`; over 100,000 files, 250,000,000 bytes
         or 500,000 names in all. `ingest` also refuses a tree of which a file was left out for another reason than its
         name or being a link: a case without that file would be another case.
Covered      links of any kind (none is followed or read), swaps of files and folders while reading, FIFOs and devices,
             other file systems, files over 256,000 bytes (told by fstat, never read), files that change while they are
             read, names in no encoding, version history, bytecode, caches, files that usually hold secrets.
Not covered  a tree that is rewritten while it is read may be a mixture of both states, file by file; what lies in the
             tree for a moment may be read in that moment, wherever it came from; a bind mount of the same file system,
             which only an administrator can make; links above the root, which is the application's own choice.
Source   DESIGN.md, "Tool boundary". A walk over folder descriptors with O_NOFOLLOW and not openat2: one name is opened
         at a time, so RESOLVE_BENEATH has nothing to add, both leaked nothing in 3 s of swaps, and it works everywhere.
"""

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from tasks.records.base import Record
from tasks.records.errors import Refusal
from tasks.records.tree import Mode, SourceFile, SourceTree
from tasks.workspace.exclusions import Exclusions, exclusions
from tasks.workspace.paths import fault

MAX_FILE_BYTES, MAX_FILES, MAX_TREE_BYTES, MAX_NAMES = 256_000, 100_000, 250_000_000, 500_000

# O_NOFOLLOW: a link put here after the listing is an error, not a way out. O_NONBLOCK: nor is a FIFO a way to hang.
OPEN_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
OPEN_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY
SWAPPED = {errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.ENXIO}

Why = Literal["excluded", "link", "special", "hard-link", "path", "size", "unreadable", "changed", "mount"]
BY_RULE = frozenset({"excluded", "link"})
"""What is left out of every repository alike; a case that needs such a file fails its own control."""


class LeftOut(Record):
    """One file or folder that did not come in; `path` is escaped, so that any name can be shown."""

    path: str
    why: Why
    reason: str

    @property
    def line(self) -> str:
        return f"'{self.path}': {self.reason}"


class Ingested(Record):
    """A tree, and everything that was met and left out, in path order."""

    tree: SourceTree
    skipped: tuple[LeftOut, ...]

    @property
    def missing(self) -> tuple[LeftOut, ...]:
        """What was left out although its name belongs in a tree."""
        return tuple(each for each in self.skipped if each.why not in BY_RULE)


def told(skipped: Iterable[LeftOut], limit: int = 20) -> tuple[str, ...]:
    """A line for each of the first `limit`, and one with the number of the others."""
    lines = [each.line for each in skipped]
    more = (f"and {len(lines) - limit:,} more",) if len(lines) > limit else ()
    return (*lines[:limit], *more)


class Walk:
    """One pass below an open root; every open is relative to an open folder, and every check is on an open file."""

    def __init__(self, device: int, excluded: Exclusions) -> None:
        self.device, self.excluded = device, excluded
        self.total_bytes = self.names = 0
        self.files: list[SourceFile] = []
        self.skipped: list[LeftOut] = []

    def folder(self, folder_fd: int, prefix: str) -> None:
        """Take in everything below an open folder."""
        entries = self._entries(folder_fd)
        if prefix and any(entry.name == "pyvenv.cfg" for entry in entries):
            self._leave(prefix.rstrip("/"), "excluded", "a virtual environment")
            return
        for entry in entries:
            try:
                self._entry(folder_fd, entry, prefix + entry.name)
            except OSError as error:
                why: Why = "changed" if error.errno in SWAPPED else "unreadable"
                self._leave(prefix + entry.name, why, f"cannot be read: {error.strerror}")

    def _entries(self, folder_fd: int) -> list[os.DirEntry[str]]:
        """Sorted; a folder of a hundred million names is refused before it fills the memory."""
        entries = []
        with os.scandir(folder_fd) as listing:
            for entry in listing:
                self.names += 1
                if self.names > MAX_NAMES:
                    raise Refusal(f"repository: expected at most {MAX_NAMES:,} files and folders, got more")
                entries.append(entry)
        return sorted(entries, key=lambda entry: entry.name)

    def _entry(self, folder_fd: int, entry: os.DirEntry[str], path: str) -> None:
        """What the listing says decides how a name is opened, never whether what was opened comes in."""
        is_folder = entry.is_dir(follow_symlinks=False)
        if self.excluded.holds(entry.name, is_folder=is_folder):
            self._leave(path, "excluded", "excluded by name")
        elif problem := fault(path):
            self._leave(path, "path", f"has {problem}")
        elif entry.is_symlink():
            self._leave(path, "link", "a symbolic link")
        elif is_folder:
            self._below(folder_fd, entry.name, path)
        elif entry.is_file(follow_symlinks=False):
            self._file(folder_fd, entry.name, path)
        else:
            self._leave(path, "special", "neither a regular file nor a folder")

    def _below(self, folder_fd: int, name: str, path: str) -> None:
        inner_fd = os.open(name, OPEN_FOLDER, dir_fd=folder_fd)
        try:
            if os.fstat(inner_fd).st_dev == self.device:
                self.folder(inner_fd, f"{path}/")
            else:
                self._leave(path, "mount", "on another file system")
        finally:
            os.close(inner_fd)

    def _file(self, folder_fd: int, name: str, path: str) -> None:
        file_fd = os.open(name, OPEN_FILE, dir_fd=folder_fd)
        try:
            found = os.fstat(file_fd)
            if unfit := self._unfit(found):
                self._leave(path, *unfit)
                return
            self._count(found.st_size)
            content = _content(file_fd, found.st_size)
            same = _state(found) == _state(os.fstat(file_fd)) and len(content) == found.st_size
        finally:
            os.close(file_fd)
        if not same:
            self._leave(path, "changed", "changed while it was read")
            return
        mode: Mode = "100755" if found.st_mode & stat.S_IXUSR else "100644"
        self.files.append(SourceFile(path=path, mode=mode, content=content))

    def _unfit(self, found: os.stat_result) -> tuple[Why, str] | None:
        """Why an open file does not come in, before a byte of it is read."""
        if not stat.S_ISREG(found.st_mode):
            return "special", "neither a regular file nor a folder"
        if found.st_nlink != 1:
            return "hard-link", f"has {found.st_nlink} names on disk, expected one"
        if found.st_dev != self.device:
            return "mount", "on another file system"
        if found.st_size > MAX_FILE_BYTES:
            return "size", f"has {found.st_size:,} bytes, the limit is {MAX_FILE_BYTES:,}"
        return None

    def _count(self, size_bytes: int) -> None:
        self.total_bytes += size_bytes
        if len(self.files) >= MAX_FILES:
            raise Refusal(f"repository: expected at most {MAX_FILES:,} files, got more")
        if self.total_bytes > MAX_TREE_BYTES:
            raise Refusal(f"repository: expected at most {MAX_TREE_BYTES:,} bytes in all, got more")

    def _leave(self, path: str, why: Why, reason: str) -> None:
        self.skipped.append(LeftOut(path=repr(path)[1:-1], why=why, reason=reason))


def _content(file_fd: int, size_bytes: int) -> bytes:
    """At most one byte more than the file had, which tells that it grew."""
    content = os.read(file_fd, size_bytes + 1)
    while len(content) < size_bytes and (more := os.read(file_fd, size_bytes + 1 - len(content))):
        content += more
    return content


def _state(found: os.stat_result) -> tuple[int, ...]:
    # Not st_ctime: renaming a file changes it, and leaves its content alone.
    return (found.st_mode, found.st_nlink, found.st_size, found.st_mtime_ns)


def survey(root: Path, exclude: tuple[str, ...] = ()) -> Ingested:
    """Read what can be read below `root`, and say what was left out. Raises Refusal.

    A person's spelling of a folder is resolved once, by whoever asks the person; `root` is what came of it.
    """
    if ".." in root.parts:
        raise Refusal(f"repository {str(root)!r}: expected a folder without '..' in its path")
    try:
        root_fd = os.open(root, OPEN_FOLDER)
    except OSError as error:
        reason = "it is a symbolic link" if root.is_symlink() else error.strerror
        raise Refusal(f"repository {str(root)!r}: expected a readable folder ({reason})") from error
    try:
        walk = Walk(os.fstat(root_fd).st_dev, exclusions(exclude))
        walk.folder(root_fd, "")
    finally:
        os.close(root_fd)
    files = sorted(walk.files, key=lambda file: file.path)
    return Ingested(
        tree=SourceTree(files=tuple(files)), skipped=tuple(sorted(walk.skipped, key=lambda each: each.path))
    )


def ingest(root: Path, exclude: tuple[str, ...] = ()) -> SourceTree:
    """The tree below `root`, if nothing that belongs in it was left out. Raises Refusal."""
    found = survey(root, exclude)
    if found.missing:
        lines = "; ".join(told(found.missing, 3))
        raise Refusal(f"repository {str(root)!r}: expected files that can be read as they lie there, got {lines}")
    return found.tree
