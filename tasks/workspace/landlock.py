"""Landlock: the second tier, for machines where unprivileged namespaces are forbidden; also what runs without any tier.

A keeper process stands in for the PID namespace: orphans come to it, and it ends nothing before it has killed them all.

Covered      network and every socket but socketpair, files outside of what is granted (homes, /proc, /etc), writes
             outside of one folder and of writable views, tracing, keyrings, signals to outsiders (ABI 6), fork bombs,
             daemons, dead parents; the total size of what is written, where the launcher may mount a tmpfs for it.
Not covered  stat() of any host path; the total size of what is written, where it may not (each file is bounded, not
             their number); runs of the same uid below ABI 6; kernel bugs.
Source       DESIGN.md, "Running and grading code".
"""

import platform
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from tasks.records.errors import SandboxUnavailable
from tasks.workspace import confine, supervise
from tasks.workspace.launch import Order
from tasks.workspace.orders import (
    LINKER_CACHE,
    SYSTEM,
    environment,
    interpreter_prefix,
    limit_processes,
    order,
    pipes_for,
    placed,
    private_folder,
    scratch,
    sources,
    translated,
    uid,
    views,
    writable,
)  # fmt: skip
from tasks.workspace.pipes import Pipes
from tasks.workspace.running import LiveChild
from tasks.workspace.sandbox import Ended, Job, Mount, Running, Tier, View
from tasks.workspace.supervise import Tree
from tasks.workspace.views import mountable, own, spread

MIN_ABI = 3  # below, truncation is not mediated
MIN_ABI_SHARED_UID = 6  # below, signals reach every process of the uid, and the uid is the caller's own
DEVICES = ("/dev/urandom", "/dev/random", "/dev/zero")


class Unconfined:
    """No isolation: limits, a clean environment and a full sweep, nothing else. Stamped, and never promotable."""

    tier: Tier = "none"

    def run(self, job: Job) -> Ended:
        with ExitStack() as held:
            pipes = held.enter_context(pipes_for(job, stays=False))
            made = self._order(job, pipes, held.enter_context(private_folder()))
            return supervise.run(made, pipes, job.limits)

    def start(self, job: Job) -> Running:
        with ExitStack() as held:
            pipes = held.enter_context(pipes_for(job, stays=True))
            made = self._order(job, pipes, held.enter_context(private_folder()))
            return LiveChild(lambda: Tree(made, pipes), pipes, job.limits, held.pop_all())

    def _order(self, job: Job, pipes: Pipes, folder: Path) -> Order:
        tmp = folder / "tmp"
        tmp.mkdir(mode=0o755)
        own(tmp)
        sources(job)  # refuses what it must before anything is copied
        job, shown = _written(job, folder, tmp)
        places, parents = placed(job, folder / "parents")
        argv = [translated(word, places, parents) for word in job.argv]
        env = {name: translated(word, places, parents) for name, word in environment(job, pipes, str(tmp)).items()}
        held = [*places.values(), *parents.values(), str(tmp), *filter(None, [interpreter_prefix()])]
        made = order(job, pipes, argv=argv, env=env, held=held)
        chdir = translated(job.chdir, places, parents)
        written = [places[mount.target] for mount in writable(job)]
        return self._confined(job, {**made, "chdir": chdir, "kept": True, "views": shown}, [str(tmp), *written])

    def _confined(self, job: Job, made: Order, written: list[str]) -> Order:  # noqa: ARG002 - for tiers that restrict
        """The order with this tier's restrictions; `written` are the folders that stay open to writes."""
        return {**made, "uid": None}


def _written(job: Job, folder: Path, tmp: Path) -> tuple[Job, list[dict[str, Any]]]:
    """The views that the launcher mounts; or, where it may not mount, the job with copies in their place."""
    if mountable():
        return job, [*views(job), scratch(tmp, job.limits.tmp_bytes)]
    mounts = list(job.mounts)
    for number, mount in enumerate(mounts):
        if mount.view is not None:
            copy = folder / f"view-{number}"
            copy.mkdir(mode=0o755)
            own(spread(mount, copy, job.limits.work_bytes))
            mounts[number] = Mount(copy, mount.target, View())
    return replace(job, mounts=tuple(mounts)), []


class Landlock(Unconfined):
    """Landlock, seccomp and limits; as root also a uid that owns nothing."""

    tier: Tier = "landlock"

    def __init__(self) -> None:
        if not confine.supported(platform.machine()):
            raise SandboxUnavailable(f"no system-call table for {platform.machine()!r}: x86_64 and aarch64 have one")
        self.abi, wanted = confine.landlock_abi(), MIN_ABI if uid() is not None else MIN_ABI_SHARED_UID
        if self.abi < wanted:
            raise SandboxUnavailable(f"the kernel's Landlock has ABI {self.abi}, expected {wanted}: use a newer kernel")

    def _confined(self, job: Job, made: Order, written: list[str]) -> Order:
        readable = [source for source in made["sources"] if source not in written]
        rules = confine.landlock(
            self.abi, run=[*SYSTEM, *readable], read=[LINKER_CACHE, *DEVICES], write=[*written, "/dev/null"]
        )
        # A uid of its own may change what it owns; our uid may not, because Landlock does not mediate that.
        sieve = confine.seccomp(sockets="none", memfd=job.memfd, metadata=uid() is not None)
        return {
            **made, "ruleset": (rules.attributes, list(rules.rules)), "filter": sieve,
            "rlimits": [*made["rlimits"], limit_processes(job.limits)],
        }  # fmt: skip
