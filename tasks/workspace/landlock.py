"""Landlock: the second tier, for machines where unprivileged namespaces are forbidden; also what runs without any tier.

A keeper process stands in for the PID namespace: orphans come to it, and it ends nothing before it has killed them all.

Covered      network and every socket but socketpair, files outside of what is granted (homes, /proc, /etc), writes
             outside of one folder, tracing, keyrings, signals to outsiders (ABI 6), fork bombs, daemons, dead parents.
Not covered  stat() of any host path; the total size of what is written (each file is bounded, not
             their number); memory summed over processes; runs of the same uid below ABI 6; kernel bugs.
Source       DESIGN.md, "Running and grading code".
"""

import os
import platform
from contextlib import ExitStack
from pathlib import Path

from tasks.records.errors import SandboxUnavailable
from tasks.workspace import confine, supervise
from tasks.workspace.launch import Order
from tasks.workspace.orders import (
    LINKER_CACHE,
    SANDBOX_UID,
    SYSTEM,
    environment,
    interpreter_prefix,
    limit_processes,
    order,
    pipes_for,
    placed,
    private_folder,
    translated,
    uid,
)  # fmt: skip
from tasks.workspace.pipes import Pipes
from tasks.workspace.running import LiveChild
from tasks.workspace.sandbox import Ended, Job, Running, Tier

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
            return LiveChild(made, pipes, job.limits, held.pop_all())

    def _order(self, job: Job, pipes: Pipes, folder: Path) -> Order:
        tmp = folder / "tmp"
        tmp.mkdir(mode=0o755)
        places, parents = placed(job, folder / "parents")
        argv = [translated(word, places, parents) for word in job.argv]
        env = {name: translated(word, places, parents) for name, word in environment(job, pipes, str(tmp)).items()}
        held = [*places.values(), *parents.values(), str(tmp), *filter(None, [interpreter_prefix()])]
        made = order(job, pipes, argv=argv, env=env, held=held)
        return {**made, "chdir": translated(job.chdir, places, parents), "kept": True, "uid": None}


class Landlock(Unconfined):
    """Landlock, seccomp and limits; as root also a uid that owns nothing."""

    tier: Tier = "landlock"

    def __init__(self) -> None:
        if not confine.supported(platform.machine()):
            raise SandboxUnavailable(f"no system-call table for {platform.machine()!r}: x86_64 and aarch64 have one")
        self.abi, wanted = confine.landlock_abi(), MIN_ABI if uid() is not None else MIN_ABI_SHARED_UID
        if self.abi < wanted:
            raise SandboxUnavailable(f"the kernel's Landlock has ABI {self.abi}, expected {wanted}: use a newer kernel")

    def _order(self, job: Job, pipes: Pipes, folder: Path) -> Order:
        made, tmp = super()._order(job, pipes, folder), folder / "tmp"
        if uid() is not None:
            os.chown(tmp, SANDBOX_UID, SANDBOX_UID)
        readable = [source for source in made["sources"] if source != str(tmp)]
        rules = confine.landlock(
            self.abi, run=[*SYSTEM, *readable], read=[LINKER_CACHE, *DEVICES], write=[str(tmp), "/dev/null"]
        )
        # A uid of its own may change what it owns; our uid may not, because Landlock does not mediate that.
        sieve = confine.seccomp(sockets="none", memfd=job.memfd, metadata=uid() is not None)
        return {
            **made, "uid": uid(), "ruleset": (rules.attributes, list(rules.rules)), "filter": sieve,
            "rlimits": [*made["rlimits"], limit_processes(job.limits)],
        }  # fmt: skip
