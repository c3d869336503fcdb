"""Weakened: sandboxes and benches that lack one defence, built here so that production code needs no switch for it.

Takes    changes to what a tier would order, or to what a bench would do.
Gives    a Sandbox or a Bench class that is like the real one in everything else.
Refuses  a change that finds nothing to take out: then the defence is not where the matrix believes it.
"""

import os
import resource
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

from tasks.attacks import filters
from tasks.attacks.host import SECRET
from tasks.records.errors import Damaged
from tasks.workspace import supervise
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.landlock import Landlock
from tasks.workspace.launch import Order
from tasks.workspace.orders import private_folder
from tasks.workspace.pipes import Pipes
from tasks.workspace.sandbox import Ended, Job, Limits, Running

Change = Callable[[Order], Order]
JobChange = Callable[[Job], Job]
SWEEPS = "while members := descendants():"


class WeakBubblewrap(Bubblewrap):
    """Bubblewrap with changed orders. `leak` hands on one more descriptor."""

    def __init__(self, *changes: Change, job_change: JobChange | None = None, leak: bool = False) -> None:
        super().__init__()
        self.changes, self.job_change, self.leak = changes, job_change, leak

    def run(self, job: Job) -> Ended:
        return super().run(self.job_change(job) if self.job_change else job)

    def start(self, job: Job) -> Running:
        return super().start(self.job_change(job) if self.job_change else job)

    def order(self, job: Job, pipes: Pipes, held_open: ExitStack, *, nests: bool = False) -> Order:
        if self.leak:
            pipes.theirs["leak"] = os.open(os.devnull, os.O_RDONLY)
        made = super().order(job, pipes, held_open, nests=nests)
        for change in self.changes:
            made = change(made)
        return made


class WeakLandlock(Landlock):
    """Landlock with changed orders."""

    def __init__(self, *changes: Change, job_change: JobChange | None = None, leak: bool = False) -> None:
        super().__init__()
        self.changes, self.job_change, self.leak = changes, job_change, leak

    def run(self, job: Job) -> Ended:
        return super().run(self.job_change(job) if self.job_change else job)

    def start(self, job: Job) -> Running:
        return super().start(self.job_change(job) if self.job_change else job)

    def _order(self, job: Job, pipes: Pipes, folder: Path) -> Order:
        if self.leak:
            pipes.theirs["leak"] = os.open(os.devnull, os.O_RDONLY)
        made = super()._order(job, pipes, folder)
        for change in self.changes:
            made = change(made)
        return made


def swapped(words: tuple[str, ...], instead: tuple[str, ...], order: Order) -> Order:
    """Every run of `words` in the command line replaced. Raises Damaged when there is none."""
    argv, found, index = list(order["argv"]), False, 0
    while index < len(argv):
        if tuple(argv[index : index + len(words)]) == words:
            argv[index : index + len(words)] = instead
            found, index = True, index + len(instead)
        else:
            index += 1
    if not found:
        raise Damaged(f"no {words!r} in the sandbox's arguments")
    return {**order, "argv": argv}


def argument(*words: str, instead: tuple[str, ...] = ()) -> Change:
    """Without these words."""
    return partial(swapped, words, instead)


def unsized(folder: str, order: Order) -> Order:
    """The tmpfs on `folder` without its size."""
    argv = list(order["argv"])
    at = next(i for i, word in enumerate(argv) if word == "--tmpfs" and argv[i + 1] == folder)
    start = at - 4
    if argv[start] != "--size":
        raise Damaged(f"no size before the tmpfs on {folder!r}")
    return {**order, "argv": argv[:start] + argv[start + 2 :]}


def shared(folder: str, order: Order) -> Order:
    """The host's own folder in place of a tmpfs."""
    argv = list(order["argv"])
    at = next(i for i, word in enumerate(argv) if word == "--tmpfs" and argv[i + 1] == folder)
    return {**order, "argv": [*argv[: at - 4], "--bind", folder, folder, *argv[at + 2 :]]}


def writable(target: str, order: Order) -> Order:
    """A mount that may be written to."""
    argv = list(order["argv"])
    for index in range(len(argv) - 2):
        if argv[index] == "--ro-bind" and argv[index + 2] == target:
            argv[index] = "--bind"
            return {**order, "argv": argv}
    raise Damaged(f"no read-only mount at {target!r}")


def namespaces(left_out: str, order: Order) -> Order:
    """All namespaces but one."""
    kept = [f"--unshare-{name}" for name in ("ipc", "pid", "net", "uts", "cgroup") if name != left_out]
    changed = swapped(("--unshare-all",), tuple(kept), order)
    return swapped(("--hostname", "sandbox"), (), changed) if left_out == "uts" else changed


def privileged(order: Order) -> Order:
    """Bubblewrap started by root, in no user namespace, with every capability that root has here."""
    changed = {**swapped(("--cap-drop", "ALL"), ("--cap-add", "ALL"), order), "uid": None}
    changed = swapped(("--unshare-user",), (), namespaces("user", changed))
    return {**changed, "argv": [word for word in changed["argv"] if word != "--disable-userns"]}


def unprivileged_no_more(order: Order) -> Order:
    """The same, but for `--cap-drop`."""
    changed = swapped(("--unshare-user",), (), namespaces("user", {**order, "uid": None}))
    return {**changed, "argv": [word for word in changed["argv"] if word != "--disable-userns"]}


def shown_too(folder: str, order: Order) -> Order:
    """One more folder of the host, read-only."""
    program, *words = order["argv"]
    return {**order, "argv": [program, "--ro-bind", folder, folder, *words]}


def inherited_environment(order: Order) -> Order:
    return {**order, "env": {**os.environ, SECRET: "1", **order["env"]}}


def own_uid(order: Order) -> Order:
    """The caller's uid, root included."""
    return {**order, "uid": None}


def unlimited(kind: int, order: Order) -> Order:
    """One limit less."""
    kept = [limit for limit in order["rlimits"] if limit[0] != kind]
    if len(kept) == len(order["rlimits"]):
        raise Damaged(f"no limit of kind {kind}")
    if kind == resource.RLIMIT_CORE:
        kept.append((kind, resource.getrlimit(kind)[1], resource.getrlimit(kind)[1]))
    return {**order, "rlimits": kept}


def many_processes(order: Order) -> Order:
    return {**order, "processes": 4096}


def unruled(order: Order) -> Order:
    """No Landlock domain."""
    return {**order, "ruleset": None}


def unscoped(word: int, order: Order) -> Order:
    """A Landlock domain that does not mediate one of: files (0), TCP (1), abstract sockets and signals (2)."""
    attributes, rules = order["ruleset"]
    words = list(struct.unpack(f"={len(attributes) // 8}Q", attributes))
    if word >= len(words):
        raise Damaged(f"the ruleset has no word {word}")
    words[word] = 0
    return {**order, "ruleset": (struct.pack(f"={len(words)}Q", *words), [] if word == 0 else rules)}


def unfiltered(order: Order) -> Order:
    """A filter that allows everything."""
    return {**order, "filter": filters.everything_allowed()}


def without(instructions: bytes, order: Order) -> Order:
    """A filter without some of its instructions. Jumps are relative and stay inside of what is cut."""
    if instructions not in order["filter"]:
        raise Damaged("the filter holds no such instructions")
    return {**order, "filter": order["filter"].replace(instructions, b"", 1)}


def call_allowed(number: int) -> Change:
    """A filter that does not refuse one call by its number."""
    return partial(without, filters.refused_by_number(number))


@contextmanager
def nobody_ends() -> Iterator[None]:
    """Trees are watched to their deadline, and what then still runs is left running."""
    left: list[supervise.Tree] = []

    def remembered(tree: supervise.Tree) -> None:
        left.append(tree)

    with mock.patch.object(supervise.Tree, "end", remembered):
        yield
    for tree in left:
        tree.process.kill()
        tree.process.wait()


@contextmanager
def nobody_sweeps() -> Iterator[None]:
    """A launcher whose keeper leaves alone what its child left behind. Raises Damaged if there is none."""
    with private_folder() as folder:
        text = supervise.LAUNCH.read_text(encoding="utf-8")
        if text.count(SWEEPS) != 1:
            raise Damaged("the launcher sweeps nothing")
        (folder / "launch.py").write_text(text.replace(SWEEPS, "while members := list[int]():"), encoding="utf-8")
        with mock.patch.object(supervise, "LAUNCH", folder / "launch.py"):
            yield


def limited(changes: dict[str, object], job: Job) -> Job:
    """Other limits than asked for."""
    return replace(job, limits=Limits.model_validate({**job.limits.model_dump(), **changes}))
