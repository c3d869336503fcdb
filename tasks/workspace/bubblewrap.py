"""Bubblewrap: the strongest tier, namespaces from an unprivileged launcher.

Covered      network, other processes, the host's files and homes, the launcher's environment, inherited fds, writes
             outside of a sized /tmp and /dev/shm, capabilities, nested namespaces, fork bombs, daemons, dead parents.
Not covered  kernel bugs; memory summed over processes (no memory cgroup); host paths of mounts in /proc/self/mountinfo;
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
from tasks.workspace.orders import LINKER_CACHE, SYSTEM, environment, interpreter_prefix, order, pipes_for, sources
from tasks.workspace.pipes import Pipes
from tasks.workspace.running import LiveChild
from tasks.workspace.sandbox import Ended, Job, Running, Tier


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
        with pipes_for(job, stays=False, namespace=True) as pipes:
            return supervise.run(self.order(job, pipes), pipes, job.limits)

    def start(self, job: Job) -> Running:
        with ExitStack() as held:
            pipes = held.enter_context(pipes_for(job, stays=True, namespace=True))
            return LiveChild(self.order(job, pipes), pipes, job.limits, held.pop_all())

    def order(self, job: Job, pipes: Pipes, *, nests: bool = False) -> Order:
        """What the launcher is told. `nests` lets our own code in there build namespaces for what it runs."""
        places = sources(job)
        status = ["--json-status-fd", str(pipes.theirs["status"])]
        no_namespaces = [] if nests else self.no_namespaces
        argv = [self.program, *status, *self._arguments(job, places), *no_namespaces, "--", *job.argv]
        held = [*places.values(), *filter(None, [interpreter_prefix()])]
        made = order(job, pipes, argv=argv, env=environment(job, pipes, "/tmp"), held=held)  # noqa: S108 - the sandbox's own
        sieve = confine.seccomp(sockets="unix", memfd=job.memfd, metadata=True, nests=nests)
        return {**made, "filter": sieve, "first_process_fd": pipes.theirs["first_process"]}

    def _arguments(self, job: Job, places: dict[str, str]) -> list[str]:
        limits = job.limits
        arguments = system_arguments()
        arguments += ["--proc", "/proc", "--dev", "/dev"]
        # Every tmpfs is unbounded unless sized; those that nobody needs to write are made read-only at the end.
        arguments += ["--size", str(limits.tmp_bytes), "--perms", "1777", "--tmpfs", "/tmp"]  # noqa: S108
        arguments += ["--size", str(limits.shm_bytes), "--perms", "1777", "--tmpfs", "/dev/shm"]  # noqa: S108
        for target, source in places.items():
            arguments += ["--ro-bind", source, target]
        arguments += ["--remount-ro", "/dev", "--remount-ro", "/"]
        arguments += ["--unshare-all", "--unshare-user", "--cap-drop", "ALL"]
        arguments += ["--die-with-parent", "--new-session", "--hostname", "sandbox"]
        return [*arguments, "--chdir", job.chdir]
