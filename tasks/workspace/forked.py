"""Forked: a zygote in its outer sandbox as seen from outside, and the runs that it forks.

Takes    a Bubblewrap, the job of a zygote, and for each run an order.
Gives    a Watch over each run, like over a launched one.
Refuses  nothing; a zygote that does not answer is SandboxTrouble.
Source   DESIGN.md, "Running and grading code"; `zygote` is the other side.
"""

import marshal
import os
import selectors
import shutil
import signal
import socket
import threading
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any

from tasks.records.errors import SandboxTrouble
from tasks.workspace import confine
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.launch import Order
from tasks.workspace.linked import LinkedTrees
from tasks.workspace.orders import environment, patch, pipes_for, results, rlimits, scratch, talking
from tasks.workspace.pipes import Pipes
from tasks.workspace.running import LiveChild
from tasks.workspace.sandbox import READ_FD, RESULTS_FD, WRITE_FD, Ended, Job, Limits, Mount, Running
from tasks.workspace.supervise import PATIENCE_SECONDS, Notes, Tree, Watch

ZYGOTE, ZYGOTE_TARGET, TREES_TARGET = Path(__file__).with_name("zygote.py"), "/tmp/zygote.py", "/tmp/trees"  # noqa: S108
START_SECONDS = 30.0
HANDED = ("stdout", "stderr", "results", "in", "out")
"""Pipes of a run, in the order of their numbers in there, which begin with 1."""
NAMED = {"results": RESULTS_FD, "in": READ_FD, "out": WRITE_FD}
UNLIMITED = Limits(wall_seconds=None, cpu_seconds=None, memory_bytes=None, total_memory_bytes=None, processes=4096)


class ForkedRun(Notes):
    """One run of a zygote: `supervise.Family` over a process that somebody else has forked."""

    def __init__(self, control: socket.socket, order: Order, pipes: Pipes) -> None:
        """Ask for the run. Raises SandboxTrouble when no run comes of it."""
        super().__init__()
        self.outputs: tuple[int, ...] = pipes.ours["stdout"], pipes.ours["stderr"]
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pipes.ours["status"], pipes.theirs["talk"] = ours.fileno(), theirs.detach()
        order_fd = os.memfd_create("order")
        try:
            os.write(order_fd, marshal.dumps(order))
            os.lseek(order_fd, 0, os.SEEK_SET)
            handed = (order_fd, *(pipes.theirs[name] for name in ("talk", *HANDED) if name in pipes.theirs))
            socket.send_fds(control, [b"r"], handed)
            pipes.close_theirs()
            ours.settimeout(PATIENCE_SECONDS)
            said, pidfds, _, _ = socket.recv_fds(ours, 4096, 2)
        except OSError as error:
            raise SandboxTrouble(f"the fork server does not answer: {error}") from error
        finally:
            os.close(order_fd)
            ours.detach()
        if len(pidfds) != 2:
            raise SandboxTrouble(f"the fork server could not start the run: {said.decode(errors='replace').strip()}")
        self.zygote_bytes = int(said)
        self.pidfd, self._first_pidfd = pidfds
        self.pid = pid_of(self.pidfd)

    def end(self) -> None:
        """Everything of the run dies with the first process of its namespace; the middle one ends after it."""
        kill(self._first_pidfd)
        if not gone(self.pidfd):
            kill(self.pidfd)
            self.trouble = self.trouble or "processes survived the end of the sandbox"
        if not gone(self._first_pidfd):
            self.trouble = self.trouble or "processes survived the end of the sandbox"

    def close(self) -> None:
        os.close(self.pidfd)
        os.close(self._first_pidfd)


def pid_of(pidfd: int) -> int:
    """The process's number as we know it, which is another in its own namespace."""
    lines = Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))


def kill(pidfd: int) -> None:
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def gone(pidfd: int) -> bool:
    """Whether the process ended, after some patience."""
    with selectors.DefaultSelector() as selector:
        selector.register(pidfd, selectors.EVENT_READ)
        return bool(selector.select(PATIENCE_SECONDS))


class Zygote:
    """One outer sandbox with an interpreter that forks; used by any number of threads."""

    def __init__(self, cold: Bubblewrap, job: Job, folder: Path) -> None:
        """Start it for jobs like `job`, with `folder` of its own. Raises SandboxTrouble when it does not come up."""
        self.folder, self.linked = folder, LinkedTrees(folder / "trees")
        self._lock, self._users, self._retired = threading.Lock(), 0, False
        self._first_bytes = self._last_bytes = 0
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as held:
            pipes = held.enter_context(pipes_for(job, stays=True, namespace=True))
            pipes.theirs["control"] = theirs.detach()
            made = cold.order(self._job(job, pipes.theirs["control"]), pipes, held, nests=True)
            made = {**made, "rlimits": []}
            self._child = LiveChild(lambda: Tree(made, pipes), pipes, UNLIMITED, held.pop_all())
        self.control.settimeout(START_SECONDS)
        try:
            ready = self.control.recv(64)
        except OSError as error:
            ready = str(error).encode()
        if ready != b"ready":
            said = self._child.stderr or ready
            self.retire()
            raise SandboxTrouble(f"the fork server did not start: {said.decode(errors='replace')[-300:].strip()}")

    def _job(self, job: Job, control: int) -> Job:
        """The same interpreter under the same flags and variables, with every tree of its runs in reach, not one."""
        script = script_of(job)
        flags = job.argv[: job.argv.index(script)]
        fixed = tuple(mount for mount in job.mounts if mount.target != job.chdir)
        trees, empty = (open_folder(self.folder / name) for name in ("trees", "empty"))
        mounts = (*fixed, Mount(empty, job.chdir), Mount(trees, TREES_TARGET), Mount(ZYGOTE, ZYGOTE_TARGET))
        site = job.argv[len(flags) + 1]
        argv = (*flags, ZYGOTE_TARGET, str(control), site, script)
        return replace(job, argv=argv, mounts=mounts, results_fd=False, wires=None, limits=UNLIMITED)

    def run(self, job: Job, tree: str, script: CodeType) -> Ended:
        """Fork a run of the script over the tree of this name, or over a view of no tree. Raises SandboxTrouble."""
        with talking(job, "stdout", "stderr", *results(job), stays=False) as pipes:
            return Watch(self._fork(job, pipes, tree, script), pipes, job.limits).to_the_end()

    def start(self, job: Job, tree: str, script: CodeType, held: ExitStack) -> Running:
        """The same for a run that stays; `held` is closed when nothing of it is left. Raises SandboxTrouble."""
        pipes = held.enter_context(talking(job, "stdout", "stderr", *results(job), stays=True))
        child = LiveChild(lambda: self._fork(job, pipes, tree, script), pipes, job.limits, held.pop_all())
        with ExitStack() as broken:
            broken.callback(child.kill)
            child.wait(0)
            broken.pop_all()
        return child

    def _fork(self, job: Job, pipes: Pipes, tree: str, script: CodeType) -> ForkedRun:
        run = ForkedRun(self.control, self._order(job, pipes, tree, script), pipes)
        self._last_bytes = run.zygote_bytes
        self._first_bytes = self._first_bytes or run.zygote_bytes
        return run

    @staticmethod
    def _order(job: Job, pipes: Pipes, tree: str, script: CodeType) -> dict[str, Any]:
        env = environment(job, pipes, "/tmp")  # noqa: S108 - the sandbox's own
        handed = [name for name in HANDED if name in pipes.theirs]
        env |= {NAMED[name]: str(number) for number, name in enumerate(handed, start=1) if name in NAMED}
        env["PWD"] = job.chdir
        limits = job.limits
        return {
            "argv": list(job.argv), "script": script_of(job), "code": script, "env": env, "chdir": job.chdir,
            "root": job.chdir, "tree": tree and f"{TREES_TARGET}/{tree}", "view": view_of(job),
            "tmp_bytes": limits.tmp_bytes,
            "shm_bytes": limits.shm_bytes, "rlimits": rlimits(limits), "processes": limits.processes,
            "filter": confine.seccomp(sockets="unix", memfd=False, metadata=True),
        }  # fmt: skip

    @property
    def grown_bytes(self) -> int:
        """How much its memory grew since its first run."""
        return self._last_bytes - self._first_bytes

    def enter(self) -> None:
        """Keep it alive until `leave`, even when it is retired meanwhile."""
        with self._lock:
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
        self._end_if_unused()

    def retire(self) -> None:
        """End it as soon as nobody uses it; harmless when repeated."""
        self._retired = True
        self._end_if_unused()

    def _end_if_unused(self) -> None:
        with self._lock:
            if self._retired and not self._users and self.control.fileno() >= 0:
                self._child.kill()
                self.control.close()
                shutil.rmtree(self.folder, ignore_errors=True)


def open_folder(folder: Path) -> Path:
    """A folder that a stranger may enter, whatever our umask."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    return folder


def script_of(job: Job) -> str:
    """The first word after the interpreter that is no flag."""
    return next((word for word in job.argv[1:] if not word.startswith("-")), "")


def tree_of(job: Job) -> Mount:
    """What lies at the job's working folder."""
    return next(mount for mount in job.mounts if mount.target == job.chdir)


def view_of(job: Job) -> dict[str, Any] | None:
    """The writable view of the job's tree in plain values; None if the tree is read-only."""
    tree = tree_of(job)
    if tree.view is None:
        return None
    files, gone = patch(tree.view)
    return {**scratch(tree.source, job.limits.work_bytes), "files": files, "gone": gone}
