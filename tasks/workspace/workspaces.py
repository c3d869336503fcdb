"""Workspaces: a case's tree as a writable folder of one run, without writing the tree anew for each.

A small tree travels whole with the order for its run. A large one is written once; runs on it and on trees that differ
from it in few files see it through overlays, each with its own differences on top.

Takes    a SourceTree, and where it is to appear.
Gives    a Mount with a view, good for as long as the `with` block lasts.
Refuses  nothing.
Covered      a tree is never modified: what a run writes lies in memory, of a declared size, and ends with the run. No
             sandbox is shown a written tree but through an overlay. Bytecode, which would run in place of its source,
             is left out.
Not covered  folders of a large tree cannot be renamed by the code under test (EXDEV, as between file systems); nothing
             sorts a folder's listing. A process that is killed outright leaves its written trees behind.
Source   DESIGN.md, "The tree" and "Running and grading code".
"""

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.launch import dress
from tasks.workspace.orders import FOLDER_PREFIX, patch
from tasks.workspace.sandbox import Mount, View
from tasks.workspace.views import own

MAX_CARRIED_FILES, MAX_CARRIED_BYTES = 200, 1 << 20
"""What an order carries to its launcher; more than that is written to disk once."""
MAX_WRITTEN = 4
"""Trees that are kept on disk at a time."""


def kept(tree: SourceTree) -> tuple[SourceFile, ...]:
    """A tree's files without bytecode: no ingested tree holds any, and no edit can add any."""
    return tuple(file for file in tree.files if not file.path.endswith((".pyc", ".pyo")))


def materialise(tree: SourceTree, folder: Path) -> None:
    """Write a tree into a new folder that a stranger may read."""
    folder.mkdir(mode=0o755)
    dress(str(folder), *patch(View(kept(tree))))
    for path in (folder, *(inside for inside in folder.rglob("*") if inside.is_dir())):
        path.chmod(0o755)  # whatever our umask


def small(files: Iterable[SourceFile]) -> bool:
    """Whether an order may carry these files."""
    files = tuple(files)
    return len(files) <= MAX_CARRIED_FILES and sum(len(file.content) for file in files) <= MAX_CARRIED_BYTES


def folders(paths: Iterable[str]) -> set[str]:
    """Every folder that these files lie in, at any depth."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def same(one: SourceFile | None, other: SourceFile) -> bool:
    """Whether two files of one path are equal; twenty times as fast as comparing the records."""
    return one is other or (one is not None and (one.mode, one.content) == (other.mode, other.content))


def difference(written: SourceTree, wanted: SourceTree) -> View | None:
    """What turns one tree into the other; None if it is long, or if a file becomes a folder or a folder a file.

    Folders that hold nothing any more go too: Python would import them as packages.
    """
    before, after = ({file.path: file for file in kept(tree)} for tree in (written, wanted))
    changed = tuple(file for path, file in after.items() if not same(before.get(path), file))
    gone = sorted(before.keys() - after.keys())
    if len(gone) > MAX_CARRIED_FILES or not small(changed):
        return None
    had, has = folders(before), folders(after)
    if had & after.keys() or has & before.keys():
        return None
    emptied = sorted(had - has, key=len, reverse=True)
    return View(changed, (*gone, *(f"{folder}/" for folder in emptied)))


@dataclass
class Written:
    """A tree on disk, and how many runs see it now."""

    tree: SourceTree
    folder: Path
    seen_by: int = 0


class Workspaces:
    """Writable views of trees. What was written to disk is removed when this object or the process ends."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        self._end = weakref.finalize(self, _remove, self._folder, os.getpid())
        self._empty = self._folder / "empty"
        self._empty.mkdir()
        self._empty.chmod(0o755)
        own(self._empty)
        self._written: list[Written] = []
        self._ordinal = 0
        self._lock = threading.Lock()

    @contextmanager
    def view(self, tree: SourceTree, target: str) -> Iterator[Mount]:
        """The tree, to be mounted writable at `target`."""
        if small(files := kept(tree)):
            yield Mount(self._empty, target, View(files))
            return
        with self._lock:
            written, view = self._nearest(tree) or self._write(tree)
            written.seen_by += 1
        try:
            yield Mount(written.folder, target, view)
        finally:
            with self._lock:
                written.seen_by -= 1

    def _nearest(self, tree: SourceTree) -> tuple[Written, View] | None:
        """The first tree on disk that differs little; it moves to the front."""
        for written in self._written:
            view = View() if written.tree is tree else difference(written.tree, tree)
            if view is not None:
                self._written.remove(written)
                self._written.insert(0, written)
                return written, view
        return None

    def _write(self, tree: SourceTree) -> tuple[Written, View]:
        """Write a tree, and forget those that nobody sees and that were used longest ago."""
        idle = [written for written in self._written if not written.seen_by]
        for old in idle[-surplus:] if (surplus := len(self._written) + 1 - MAX_WRITTEN) > 0 else ():
            self._written.remove(old)
            shutil.rmtree(old.folder)
        self._ordinal += 1
        written = Written(tree, self._folder / str(self._ordinal))
        materialise(tree, written.folder)
        own(written.folder)
        self._written.insert(0, written)
        return written, View()


def _remove(folder: Path, owner_pid: int) -> None:
    if os.getpid() == owner_pid:  # a forked child ends too
        shutil.rmtree(folder, ignore_errors=True)
