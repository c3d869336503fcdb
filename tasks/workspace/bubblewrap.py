"""Bubblewrap: the strongest tier, namespaces from an unprivileged launcher.

Covered      network, other processes, the host's files and homes, the launcher's environment, inherited fds, writes
             outside of a sized /tmp, /dev/shm and writable views, capabilities, nested namespaces, fork bombs, daemons,
             dead parents.
Not covered  kernel bugs; memory taken between two looks of the supervisor; the host's paths in /proc/self/mountinfo;
             CPU time summed over processes, bounded by the wall clock only.
Source       DESIGN.md, "Running and grading code"; each flag below closes a hole that was measured open.
"""

import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

from tasks.records.errors import SandboxUnavailable
from tasks.workspace import confine, supervise
from tasks.workspace.launch import Order
from tasks.workspace.orders import (
    LINKER_CACHE,
    SYSTEM,
    environment,
    interpreter_prefix,
    order,
    pipes_for,
    private_folder,
    sources,
    views,
    writable,
)  # fmt: skip
from tasks.workspace.pipes import Pipes
from tasks.workspace.running import LiveChild
from tasks.workspace.sandbox import Ended, Job, Running, Tier
from tasks.workspace.supervise import Tree
from tasks.workspace.views import mountable, spread

# Where the launcher may not mount: a copy is shown read-only, and copied once more to a tmpfs that bubblewrap sizes.
COPIES = "/opt/proveout-copies"
COPY = 'set -e; while [ "$1" != -- ]; do cp -R "$1/." "$2"; shift 2; done; cd "$2"; shift 2; exec "$@"'


def system_arguments() -> list[str]:
    """The parts of the system that programs need in order to run, read-only."""
    arguments: list[str] = []
    for folder in SYSTEM:
        if Path(folder).is_symlink():
            arguments += ["--symlink", str(Path(folder).readlink()), folder]
        elif Path(folder).is_dir():
            arguments += ["--ro-bind", folder, folder]
    if Path(LINKER_CACHE).exists():
        arguments += ["--ro-bind", LINKER_CACHE, LINKER_CACHE]
    if prefix := interpreter_prefix():
        arguments += ["--ro-bind", prefix, prefix]
    return arguments


class Bubblewrap:
    """Code under test behind bwrap: all namespaces, no network, no capabilities, a read-only view of what it needs."""

    tier: Tier = "bubblewrap"

    def __init__(self) -> None:
        program = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin:" + os.environ.get("PATH", ""))
        if program is None:
            raise SandboxUnavailable("bubblewrap is not installed: install it (apt-get install bubblewrap)")
        self.program = os.path.realpath(program)
        known = subprocess.run([self.program, "--help"], env={}, capture_output=True, check=False).stdout
        # Older than 0.8 it cannot; then only the filter stands against nested namespaces.
        self.no_namespaces = ["--disable-userns"] if b"--disable-userns" in known else []

    def run(self, job: Job) -> Ended:
        with ExitStack() as held:
            pipes = held.enter_context(pipes_for(job, stays=False, namespace=True))
            return supervise.run(self.order(job, pipes, held), pipes, job.limits)

    def start(self, job: Job) -> Running:
        with ExitStack() as held:
            pipes = held.enter_context(pipes_for(job, stays=True, namespace=True))
            made = self.order(job, pipes, held)
            return LiveChild(lambda: Tree(made, pipes), pipes, job.limits, held.pop_all())

    def order(self, job: Job, pipes: Pipes, held_open: ExitStack, *, nests: bool = False) -> Order:
        """What the launcher is told. `nests` lets our own code in there build namespaces for what it runs."""
        places, copied = sources(job), {}
        if writable(job) and not mountable():
            copied = self._copied(job, held_open.enter_context(private_folder()))
        status = ["--json-status-fd", str(pipes.theirs["status"])]
        arguments = self._arguments(job, places, copied) + ([] if nests else self.no_namespaces)
        argv = [self.program, *status, *arguments, *self._command(job, copied)]
        held = [*places.values(), *copied.values(), *filter(None, [interpreter_prefix()])]
        made = order(job, pipes, argv=argv, env=environment(job, pipes, "/tmp"), held=held)  # noqa: S108 - the sandbox's own
        sieve = confine.seccomp(sockets="unix", memfd=job.memfd, metadata=True, nests=nests)
        shown = [] if copied else views(job)
        return {**made, "filter": sieve, "first_process_fd": pipes.theirs["first_process"], "views": shown}

    @staticmethod
    def _copied(job: Job, folder: Path) -> dict[str, str]:
        """A copy of each writable view, by mount target."""
        copied = {}
        for number, mount in enumerate(writable(job)):
            copy = folder / str(number)
            copy.mkdir(mode=0o755)
            copied[mount.target] = str(spread(mount, copy, job.limits.work_bytes))
        return copied

    @staticmethod
    def _command(job: Job, copied: dict[str, str]) -> list[str]:
        """The job's own, behind a copy of what the launcher could not mount."""
        if not copied:
            return ["--chdir", job.chdir, "--", *job.argv]
        moves = [word for number, target in enumerate(copied) for word in (f"{COPIES}/{number}", target)]
        return ["--", "/bin/sh", "-c", COPY, "copy", *moves, "--", job.chdir, *job.argv]

    def _arguments(self, job: Job, places: dict[str, str], copied: dict[str, str]) -> list[str]:
        limits = job.limits
        arguments = system_arguments()
        arguments += ["--proc", "/proc", "--dev", "/dev"]
        # Every tmpfs is unbounded unless sized; those that nobody needs to write are made read-only at the end.
        arguments += ["--size", str(limits.tmp_bytes), "--perms", "1777", "--tmpfs", "/tmp"]  # noqa: S108
        arguments += ["--size", str(limits.shm_bytes), "--perms", "1777", "--tmpfs", "/dev/shm"]  # noqa: S108
        for number, (target, source) in enumerate(copied.items()):
            arguments += ["--ro-bind", source, f"{COPIES}/{number}"]
            arguments += ["--size", str(limits.work_bytes), "--perms", "0755", "--tmpfs", target]
        shown = {mount.target for mount in writable(job)}
        for target, source in places.items():
            if target not in copied:
                arguments += ["--bind" if target in shown else "--ro-bind", source, target]
        arguments += ["--remount-ro", "/dev", "--remount-ro", "/"]
        arguments += ["--unshare-all", "--unshare-user", "--cap-drop", "ALL"]
        return [*arguments, "--die-with-parent", "--new-session", "--hostname", "sandbox"]
