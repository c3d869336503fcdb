"""Linked: trees inside of one folder that a running sandbox sees, without writing them again.

Takes    a mount of a tree that lies anywhere.
Gives    a name in the folder: links to the same files, for as long as the `with` block lasts.
Refuses  nothing; on another file system the files are copied.
"""

import os
import secrets
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tasks.workspace.sandbox import Mount
from tasks.workspace.views import own

MAX_KEPT = 4


@dataclass
class Linked:
    """A tree in the folder, and how many runs see it now."""

    name: str
    seen_by: int = 0


class LinkedTrees:
    """Trees below `folder`. What lies below a view never changes, so that its links serve more than one run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[Path, Linked] = {}
        self._lock = threading.Lock()

    @contextmanager
    def shown(self, mount: Mount) -> Iterator[str]:
        """The name of the mount's source in here; empty for a view of nothing, which needs none."""
        if mount.view is None:
            name = self._link(mount.source)
            try:
                yield name
            finally:
                shutil.rmtree(self._folder / name)
        elif not any(mount.source.iterdir()):
            yield ""
        else:
            with self._lock:
                linked = self._kept.pop(mount.source, None) or self._owned(mount.source)
                self._kept[mount.source] = linked  # the latest used is the last
                linked.seen_by += 1
                self._forget()
            try:
                yield linked.name
            finally:
                with self._lock:
                    linked.seen_by -= 1

    def _owned(self, tree: Path) -> Linked:
        """Folders are not links: they must belong to whoever the sandbox runs as, like what is in them."""
        name = self._link(tree)
        own(self._folder / name)
        return Linked(name)

    def _link(self, tree: Path) -> str:
        name = secrets.token_hex(8)
        target = self._folder / name
        try:
            shutil.copytree(tree, target, symlinks=True, copy_function=os.link)
        except OSError:
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(tree, target, symlinks=True)
        target.chmod(0o755)
        return name

    def _forget(self) -> None:
        idle = [source for source, linked in self._kept.items() if not linked.seen_by]
        for source in idle[: max(0, len(self._kept) - MAX_KEPT)]:
            shutil.rmtree(self._folder / self._kept.pop(source).name)
