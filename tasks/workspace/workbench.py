"""Workbench: a working tree over a snapshot that stays as it was.

Takes    an immutable SourceTree, the globs that a case opens to edits, and names to exclude beyond ingest's own.
Gives    the working tree, the edits that led to it in their order, and the diff from the snapshot.
Refuses  (Unfit) paths that no edit may touch; (Stale) a change that was prepared on another content than is there.
Covered      a change is made whole or not at all, and only on the content that it was prepared on, whoever else works
             at the same bench; the edits, applied to the snapshot, always give the working tree (edits.apply), so that
             a grader that is given them tests what is here. Nothing is written to a disk.
Not covered  what an edit inside the scope does to its file: that is what tests and sandboxes are for.
Source       DESIGN.md, "Programs" and "Tool boundary".
"""

import threading
from collections.abc import Collection
from dataclasses import dataclass, field

from tasks.records.case import Edit
from tasks.records.fingerprint import sha256
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace import comparing
from tasks.workspace.edits import MAX_EDITS, Unfit, admit, apply, fitted
from tasks.workspace.exclusions import exclusions
from tasks.workspace.paths import fault


class Stale(Unfit):
    """The file is not what it was when it was read; nothing was changed."""


@dataclass(frozen=True)
class Change:
    """One edit, made ready: what it does, from which line on, to which content.

    `before` is the sha256 of that content, None where no file is.
    """

    edit: Edit
    before: str | None
    after: SourceFile
    line: int
    effect: bytes = field(repr=False)
    """As a patch of this one file."""


@dataclass(frozen=True)
class State:
    """A working tree, and the edits that make it of the snapshot."""

    tree: SourceTree
    edits: tuple[Edit, ...] = ()


class Workbench:
    """One working tree; any number of editors work at it, from any number of threads."""

    def __init__(self, snapshot: SourceTree, scope: tuple[str, ...], *, excluded: Collection[str] = ()) -> None:
        """`excluded` are globs of folder and file names that are closed beside ingest's own."""
        self.snapshot, self.scope, self._exclusions = snapshot, scope, exclusions(tuple(excluded))
        self._state, self._lock = State(snapshot), threading.Lock()

    @property
    def state(self) -> State:
        """Tree and edits of one moment."""
        return self._state

    @property
    def tree(self) -> SourceTree:
        return self._state.tree

    def diff(self) -> bytes:
        """The patch that makes the working tree of the snapshot; `git apply` takes it."""
        return comparing.diff(self.snapshot, self.tree)

    def visible(self, path: str) -> SourceFile:
        """The file at `path` as it is now. Raises Unfit."""
        self._check_name(path)
        file = self.tree.by_path.get(path)
        if file is None:
            raise Unfit("no such file in the repository; paths are relative to it and case counts")
        return file

    def check_open(self, path: str) -> None:
        """Refuse what no edit may touch, whether or not it exists. Raises Unfit."""
        self._check_name(path)
        admit(path, self.scope)

    def check_free(self, path: str) -> None:
        """Refuse a path that is taken, or that is taken where case does not count. Raises Unfit."""
        if path in self.tree.by_path:
            raise Unfit("the file exists and is never overwritten; read it, then use apply_edit")
        folded = path.casefold()
        for other in self.tree.by_path:
            if other.casefold() == folded or _differ_in_case(path, other):
                raise Unfit(f"another path differs from it in case alone: {other}")

    def prepare(self, edit: Edit) -> Change:
        """What `edit` would do now; nothing happens yet. Raises Unfit."""
        state = self._state
        if len(state.edits) >= MAX_EDITS:
            raise Unfit(f"{MAX_EDITS} edits have been made, and no more are accepted")
        before, after = state.tree.by_path.get(edit.path), _applied(state.tree, edit, self.scope).by_path[edit.path]
        line = _line_of(before.content, edit) if before else 1
        return Change(edit, _named(before), after, line, comparing.file_diff(before, after))

    def commit(self, change: Change) -> None:
        """Make a prepared change. Raises Stale, and then nothing has changed."""
        with self._lock:
            state, path = self._state, change.edit.path
            if _named(state.tree.by_path.get(path)) != change.before:
                raise Stale("the file changed after the edit was prepared; read it again, and edit what is there now")
            if len(state.edits) >= MAX_EDITS:
                raise Stale(f"{MAX_EDITS} edits have been made, and no more are accepted")
            tree = _applied(state.tree, change.edit, self.scope)
            self._state = State(tree, (*state.edits, change.edit))

    def keep(self, edits: int) -> None:
        """Go back to where only the first `edits` had been made. Raises ValueError for a number that never was."""
        with self._lock:
            made = self._state.edits
            if not 0 <= edits <= len(made):
                raise ValueError(f"expected 0 to {len(made)} edits to keep, got {edits}")
            self._state = State(apply(self.snapshot, made[:edits], self.scope).tree, made[:edits])

    def _check_name(self, path: str) -> None:
        if problem := fault(path):
            raise Unfit(f"the path has {problem}; expected one relative to the repository")
        *folders, name = path.split("/")
        held = self._exclusions.holds
        if held(name, is_folder=False) or any(held(folder, is_folder=True) for folder in folders):
            raise Unfit("this name is excluded from what tools see")


def _named(file: SourceFile | None) -> str | None:
    return sha256(file.content) if file else None


def _line_of(content: bytes, edit: Edit) -> int:
    """The line on which the replaced text begins."""
    search, _ = fitted(content, edit)
    return content.count(b"\n", 0, content.find(search)) + 1


def _applied(tree: SourceTree, edit: Edit, scope: tuple[str, ...]) -> SourceTree:
    applied = apply(tree, (edit,), scope)
    if applied.refusals:
        raise Unfit(applied.refusals[0].reason)
    return applied.tree


def _differ_in_case(path: str, other: str) -> bool:
    """Whether the two lie in folders that are one where case does not count, and two where it does."""
    folders, others = (each.split("/")[:-1] for each in (path, other))
    for one, two in zip(folders, others, strict=False):
        if one.casefold() != two.casefold():
            return False
        if one != two:
            return True
    return False
