"""Probe: what a sandbox really holds, found by trying it from inside.

Takes    a Sandbox; for `examine` also a host worth attacking, which it sets up itself.
Gives    a Probed: per question whether the wall held, what was seen, and whether the tier promises it.
Refuses  for `probe`, a sandbox that does not start or breaks a promise; `examine` reports, and refuses nothing.
Covered      the questions of `prober`; two are judged here: a signal by whether its victim lives, the memory of several
             processes by whether the run was ended for it.
Not covered  a wall that holds now may have a hole that nobody asked about.
Source   DESIGN.md, "Running and grading code": probed by behaviour, since a version string proves nothing.
"""

import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tasks.records.base import Record
from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.workspace import prober
from tasks.workspace.environment import base_python
from tasks.workspace.orders import private_folder
from tasks.workspace.sandbox import Ended, Job, Limits, Mount, Sandbox, Tier, View
from tasks.workspace.views import mountable, own

PROBER, SHOWN, VIEW = "/opt/proveout/prober.py", "/opt/proveout-shown", "/opt/proveout-view"
MEGABYTE = 1 << 20
LIMITS = Limits(
    wall_seconds=30,
    memory_bytes=256 * MEGABYTE,
    total_memory_bytes=300 * MEGABYTE,
    processes=24,
    tmp_bytes=4 * MEGABYTE,
    shm_bytes=4 * MEGABYTE,
    work_bytes=4 * MEGABYTE,
)

ALL = tuple(prober.QUESTIONS)
QUICK = ALL[: ALL.index("sees no variable of the caller") + 1]
"""Enough to choose a tier by: one more process, no host to set up."""
SIGNALS = "signals no process of the host"
TOTAL_MEMORY = "gets no more memory in several processes"
ALWAYS = frozenset({"reads what it is shown", "writes to a folder of its own", "writes to a view"})
"""What every tier promises, the absent one too: it works."""
NEEDS_MOUNTS = frozenset({"fills no more than its temporary folder", "fills no more than its view"})
NAMESPACES_ONLY = frozenset({"learns nothing of a file of the host"})


class Finding(Record):
    """One question, asked from inside: `held` if the answer is the safe one, `promised` if the tier says so."""

    question: str
    held: bool
    promised: bool
    detail: str


class Probed(Record):
    """What one tier holds on this machine."""

    tier: Tier
    findings: tuple[Finding, ...]

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The promises that were not kept."""
        return tuple(finding for finding in self.findings if finding.promised and not finding.held)


def promises(tier: Tier) -> frozenset[str]:
    """The questions that a tier answers for."""
    if tier == "none":
        return ALWAYS
    held = frozenset(ALL)
    if tier == "landlock":
        return held - NAMESPACES_ONLY - (frozenset() if mountable() else NEEDS_MOUNTS)
    return held - {"learns no place of the host"}


def probe(sandbox: Sandbox) -> None:
    """The quick questions. Raises SandboxUnavailable when the sandbox does not start or breaks a promise."""
    with private_folder() as folder:
        try:
            ended = sandbox.run(_job(folder, {"questions": QUICK, "token": secrets.token_hex(16)}))
        except SandboxTrouble as trouble:
            raise SandboxUnavailable(str(trouble)) from trouble
    probed = _read(sandbox.tier, QUICK, ended)
    if probed.broken:
        said = "; ".join(f"{each.question} ({each.detail})" for each in probed.broken)
        raise SandboxUnavailable(f"it does not hold: {said}")


def examine(sandbox: Sandbox) -> Probed:
    """Every question. Raises SandboxTrouble when the sandbox does not start."""
    with private_folder() as folder, _host(folder) as (host, victim):
        ended = sandbox.run(_job(folder, {"questions": ALL, **host}))
        lives = victim.poll() is None
    probed = _read(sandbox.tier, ALL, ended)
    judged = (each.model_copy(update={"held": lives}) if each.question == SIGNALS else each for each in probed.findings)
    return Probed(tier=probed.tier, findings=tuple(judged))


def _job(folder: Path, asked: dict[str, Any]) -> Job:
    """The prober, what it is shown, and a secret that it is not shown."""
    (folder / "secret").write_text("secret")
    shown, view = folder / "shown", folder / "view"
    for made in (shown, view):
        made.mkdir(mode=0o755)
    (shown / "shown").write_text("shown")
    for readable in (folder / "secret", shown / "shown"):
        readable.chmod(0o644)
    own(view)
    asked = {**asked, "secret": str(folder / "secret"), "folder": folder.name}
    named = ("memory_bytes", "total_memory_bytes", "tmp_bytes", "shm_bytes", "work_bytes")
    limits = {name: getattr(LIMITS, name) for name in named}
    # Places travel as words of their own, because a tier without mounts translates words.
    argv = (str(base_python()), "-I", "-S", "-B", PROBER, json.dumps({**asked, **limits}), SHOWN, VIEW)
    mounts = (Mount(Path(prober.__file__), PROBER), Mount(shown, SHOWN), Mount(view, VIEW, View()))
    return Job(argv, mounts, limits=LIMITS, results_fd=True)


@contextmanager
def _host(folder: Path) -> Iterator[tuple[dict[str, Any], "subprocess.Popen[bytes]"]]:
    """A host worth attacking: a victim, listening sockets, a token in our memory; and how to know them."""
    token = secrets.token_hex(16)
    held = token.encode()
    home, prefix = Path.home(), Path(sys.base_prefix)
    with ExitStack() as open_for_now:
        victim = open_for_now.enter_context(subprocess.Popen(["/bin/sleep", "60"], env={}))
        open_for_now.callback(victim.kill)
        for address in (f"\0{token}", str(folder / "named")):
            listening = open_for_now.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(address)
            listening.listen()
        (folder / "named").chmod(0o777)
        yield {
            "token": token, "address": id(held) + bytes.__basicsize__ - 1, "parent": os.getpid(), "victim": victim.pid,
            "abstract": token, "named": str(folder / "named"), "home": str(home),
            "interpreter": [prefix.relative_to(home).parts[0]] if prefix.is_relative_to(home) else [],
            **{name: prober.digest(f"/proc/self/{name}") for name in ("environ", "cmdline")},
        }, victim  # fmt: skip


def _read(tier: Tier, asked: tuple[str, ...], ended: Ended) -> Probed:
    """The answers; a question without one did not hold."""
    answers = {question: (held, detail) for question, held, detail in map(json.loads, ended.results.splitlines())}
    said = (ended.stdout + ended.stderr).decode(errors="replace").strip()[-200:]
    if ended.how == "memory" and TOTAL_MEMORY not in answers:
        answers[TOTAL_MEMORY] = (True, "everything was killed")
    silence = (False, f"no answer: the probe ended with {ended.how} {ended.status} {said}".rstrip())
    promised = promises(tier)
    findings = []
    for question in asked:
        held, detail = answers.get(question, silence)
        findings.append(Finding(question=question, held=held, promised=question in promised, detail=detail))
    return Probed(tier=tier, findings=tuple(findings))
