"""The sandbox suite: every probe inside every tier that holds here, and without any as the positive control.

Takes    sandboxes by tier.
Gives    a row per probe and tier; `ran` says whether the same probe got through without a sandbox.
Refuses  nothing.
Covered      reach (network, files, processes, kernel), writes, exhaustion, what outlives a run.
Not covered  bugs of the kernel; side channels; what two runs at a time may learn from each other's load.
Source       DESIGN.md, "Running and grading code"; a `why` each in sandbox/*.toml.
"""

import json
import os
import pickle
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tasks.attacks.forked import Forked
from tasks.attacks.host import Host, host
from tasks.attacks.probes import Probe, probes
from tasks.attacks.rows import Observed, Row, Start, SuiteReport
from tasks.records.errors import SandboxTrouble
from tasks.workspace.environment import base_python
from tasks.workspace.orders import private_folder
from tasks.workspace.sandbox import Ended, Job, Limits, Mount, Sandbox

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 5.0
INSIDE = Path(__file__).with_name("inside.py").read_text(encoding="utf-8")
STAYS = """
import pickle, sys, time
sys.path.insert(0, sys.argv[1])
from tasks.attacks.sandbox_suite import stay
stay(pickle.loads(bytes.fromhex(sys.argv[2])), sys.argv[3])
"""
Seen = tuple[Observed, str]
Progress = Callable[[str, int, int], None]


def job(chosen: Sequence[Probe], machine: Host, tier: str, mark: str = "", *, fork: bool) -> Job:
    """One run of some probes."""
    code = json.dumps([[probe.name, probe.code] for probe in chosen])
    argv = (
        str(base_python()),
        "-I",
        "-S",
        "-B",
        "-c",
        INSIDE,
        code,
        machine.seen_from(tier),
        "fork" if fork else "alone",
        mark,
    )
    given = chosen[0].limits if not fork else {}
    limits = Limits.model_validate({"wall_seconds": 20.0, "memory_bytes": 1 << 30, **given})
    return Job(argv, (Mount(machine.shown, "/shown"),), limits=limits, results_fd=True)


def lines(ended: Ended) -> dict[str, Seen]:
    """What the probes said of themselves."""
    found: dict[str, Seen] = {}
    for line in ended.results.splitlines():
        with suppress(ValueError, KeyError, TypeError):
            said = json.loads(line)
            found[said["name"]] = (said["observed"], said["note"])
    return found


def together(sandbox: Sandbox, chosen: Sequence[Probe], machine: Host) -> dict[str, Seen]:
    """Probes that share one run. A probe that said nothing did not run."""
    ended = sandbox.run(job(chosen, machine, sandbox.tier, fork=True))
    said = lines(ended)
    return {probe.name: said.get(probe.name, ("unexercised", _words(ended))) for probe in chosen}


def alone(sandbox: Sandbox, probe: Probe, machine: Host) -> Seen:
    """A probe with a run of its own: judged by what it said, how it ended, and what it left."""
    mark = uuid.uuid4().hex
    if probe.after == "orphan":
        return _orphan(sandbox, mark)
    before = _children()
    try:
        ended = sandbox.run(job([probe], machine, sandbox.tier, mark, fork=False))
    except SandboxTrouble as trouble:
        return "unexercised", f"broke the sandbox: {trouble}"
    said = lines(ended).get(probe.name)
    if said is None:
        return "unexercised", _words(ended)
    left = _left(probe, mark, before, machine)
    if said[0] == "leaked" or left:
        return "leaked", left or said[1]
    if probe.ends and ended.how not in probe.ends:
        return "leaked", f"ended with {ended.how}"
    return "blocked", said[1] if ended.how == "exit" else ended.how


def _left(probe: Probe, mark: str, before: set[str], machine: Host) -> str:
    """What is still there after the run that must not be; cleaned up."""
    if remaining := alive(mark):
        _end(remaining)
        return "processes outlived the run"
    if probe.after == "zombies" and _children() - before:
        return "children were left unreaped"
    if probe.after == "victim" and _state(int(str(machine.target["victim"]))) in {"", "Z"}:
        return "a process of the host was killed"
    return ""


def alive(mark: str) -> list[int]:
    """Processes of the host whose command line carries the mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            if mark.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found


def _end(pids: Iterable[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _state(pid: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def _children() -> set[str]:
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):
            found |= set((task / "children").read_text().split())
    return found


def stay(sandbox: Sandbox, mark: str) -> None:
    """In a parent that is about to be killed: a confined child that stays, or a forked run that takes its time."""
    sleeping = Job((str(base_python()), "-I", "-S", "-c", "import time; time.sleep(30)", mark))
    if isinstance(sandbox, Forked):
        threading.Thread(target=sandbox.run, args=(sleeping,), daemon=True).start()
    else:
        running = sandbox.start(sleeping)  # noqa: F841 - it ends when nobody holds it
    while not set(alive(mark)) - {os.getpid()}:
        time.sleep(0.02)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    time.sleep(30)


def _orphan(sandbox: Sandbox, mark: str) -> Seen:
    """Kill the supervising process outright; its confined child must not outlive it."""
    read_end, write_end = os.pipe()
    argv = [sys.executable, "-c", STAYS, str(ROOT), pickle.dumps(sandbox).hex(), mark]
    actions = [(os.POSIX_SPAWN_DUP2, write_end, 1)]
    with private_folder() as folder:  # for what a killed parent cannot remove
        parent = os.posix_spawn(sys.executable, argv, {**os.environ, "TMPDIR": str(folder)}, file_actions=actions)
        os.close(write_end)
        with os.fdopen(read_end, "rb") as said:
            started = said.readline() == b"ready\n"
        time.sleep(0.3)
        there = bool(set(alive(mark)) - {parent})
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
    if not (started and there):
        return "unexercised", "the child did not come up"
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (left := alive(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    _end(left)
    return ("leaked", "outlived its parent") if left else ("blocked", "")


def _words(ended: Ended) -> str:
    return f"{ended.how} {ended.status}: {ended.stderr[-200:].decode(errors='replace')}".strip()


def seen(sandbox: Sandbox, chosen: Sequence[Probe], machine: Host, progress: Progress | None = None) -> dict[str, Seen]:
    """What each probe reached in one tier."""
    mine = [probe for probe in chosen if not probe.tiers or sandbox.tier in probe.tiers]
    crowd, single = [probe for probe in mine if probe.together], [probe for probe in mine if not probe.together]
    found = together(sandbox, crowd, machine) if crowd else {}
    for number, probe in enumerate(single, start=1):
        found[probe.name] = alone(sandbox, probe, machine)
        if progress:
            progress(f"probes, {sandbox.tier}", number, len(single))
    return found


def rows_of(tier: str, chosen: Sequence[Probe], found: Mapping[str, Seen], control: Mapping[str, Seen]) -> list[Row]:
    """One row for each probe that was tried in a tier."""
    return [_row(tier, probe, found[probe.name], control.get(probe.name)) for probe in chosen if probe.name in found]


def _row(tier: str, probe: Probe, found: Seen, control: Seen | None) -> Row:
    expected: Observed = "leaked" if tier in probe.gaps or tier == "none" else "blocked"
    ran = "" if control is None else "got through without a sandbox" if control[0] == "leaked" else "not without either"
    return Row(
        suite="sandbox", tier=tier, attack=probe.name, kind=probe.kind, why=probe.why,
        expected=expected, observed=found[0], ran=ran, note=found[1],
    )  # fmt: skip


def run(
    sandboxes: Sequence[Sandbox], control: Sandbox, *, chosen: Sequence[Probe] = (), progress: Progress | None = None,
    start: Start = "cold",
) -> SuiteReport:  # fmt: skip
    """Every probe in every sandbox; `control` is the one without isolation."""
    chosen = chosen or probes()
    rows: list[Row] = []
    with host() as machine:
        without = seen(control, chosen, machine, progress)
    for sandbox in sandboxes:
        with host() as machine:
            found = without if sandbox.tier == control.tier else seen(sandbox, chosen, machine, progress)
        rows += rows_of(sandbox.tier, chosen, found, without)
    return SuiteReport(suite="sandbox", start=start, rows=tuple(rows))
