"""Judges: whoever says of a tree whether the hidden tests pass.

Takes    a tree; each judge lays the sealed tests on it in its own way.
Gives    a TestReport. The naive judge also says which of its three sources believed, and whether the cheat ran.
Refuses  nothing; SandboxTrouble when a cheat broke the sandbox.
Source   DESIGN.md, "Running and grading code": the grading tiers.

A further tier is one more entry of JUDGES.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tasks.attacks.cheats import MARK, all_passed, subject
from tasks.records.attempt import TestReport
from tasks.records.tree import SourceTree
from tasks.workspace.environment import Environment
from tasks.workspace.grading import SITE, STEADY, Bench
from tasks.workspace.orders import private_folder
from tasks.workspace.sandbox import Ended, Job, Limits, Mount, Sandbox
from tasks.workspace.workspaces import materialise

LIMITS = Limits(wall_seconds=20, memory_bytes=1 << 30, hard_output_bytes=8 << 20)
NAIVE_ROOT = "/naive"
# Copies the tree to where it may be written, runs pytest as everybody does, and hands the junit file out.
NAIVE = """
import os, shutil, sys
root, site = sys.argv[1:]
work, fd = os.environ["TMPDIR"] + "/work", int(os.environ["PROVEOUT_RESULTS_FD"])
shutil.copytree(root, work)
os.chdir(work)
report = os.environ["TMPDIR"] + "/junit.xml"
env = {**os.environ, "PYTHONPATH": ".:" + site, "PROVEOUT_MARK_FD": str(fd)}
status = os.spawnve(os.P_WAIT, sys.executable, [sys.executable, "-m", "pytest", f"--junitxml={report}"], env)
try: found = open(report, "rb").read(200000)
except OSError: found = b""
os.write(fd, b"\\nJUNIT\\n" + found)
os._exit(status if 0 <= status < 128 else 99)
"""


@dataclass(frozen=True)
class Ground:
    """Where judges stand."""

    sandbox: Sandbox
    environment: Environment


class Judge(Protocol):
    """One tier of grading."""

    @property
    def tier(self) -> str: ...

    def grade(self, candidate: SourceTree) -> TestReport: ...


class InProcess:
    """The tests share a process with the code that they test."""

    tier = "in-process"

    def __init__(self, ground: Ground, limits: Limits, bench: type[Bench] = Bench) -> None:
        self.bench = bench(ground.sandbox, ground.environment, limits)

    def grade(self, candidate: SourceTree) -> TestReport:
        return self.bench.test(candidate, subject().nodes, sealed=subject().seal.tests, hide_output=True)


class Belief(NamedTuple):
    """What the naive judge took for proof, and whether the payload left its mark."""

    sources: tuple[str, ...]
    ran: bool


class Naive:
    """The positive control: plain pytest in a writable copy, the candidate's files over the hidden tests.

    Exit status, printed text and junit file are each believed.
    """

    tier = "naive"

    def __init__(self, ground: Ground, limits: Limits) -> None:
        self.ground, self.limits = ground, limits

    def grade(self, candidate: SourceTree) -> TestReport:
        believed = self.believes(candidate).sources
        return TestReport(
            tree=candidate.fingerprint, outcomes=all_passed() if believed else {}, ended="exit",
            shown="", tier=self.ground.sandbox.tier,
        )  # fmt: skip

    def believes(self, candidate: SourceTree) -> Belief:
        with private_folder() as folder:
            materialise(subject().seal.tests.overlaid(candidate), folder / "tree")
            for file in candidate.files:
                if file.path.endswith(".pyc"):  # which `materialise` leaves out
                    (folder / "tree" / file.path).write_bytes(file.content)
            argv = (str(self.ground.environment.python), "-I", "-S", "-c", NAIVE, NAIVE_ROOT, SITE)
            mounts = (Mount(folder / "tree", NAIVE_ROOT), Mount(self.ground.environment.site, SITE))
            env = {name: value for name, value in STEADY.items() if not name.startswith("PYTEST")}
            return _belief(self.ground.sandbox.run(Job(argv, mounts, env=env, limits=self.limits, results_fd=True)))


def _belief(ended: Ended) -> Belief:
    marks, _, junit = ended.results.partition(b"\nJUNIT\n")
    text = ended.stdout + ended.stderr
    sources = {
        "exit status": (ended.how, ended.status) == ("exit", 0),
        "printed text": bool(re.search(rb"\b\d+ (passed|xfailed|skipped)\b", text)) and b" failed" not in text,
        "junit file": b'failures="0"' in junit and b'errors="0"' in junit and b'tests="0"' not in junit,
    }
    believed = tuple(name for name, holds in sources.items() if holds)
    return Belief(believed, MARK.strip() in marks)


JUDGES: dict[str, Callable[[Ground, Limits], Judge]] = {"in-process": InProcess}
"""By tier, strongest last; `naive` is no tier but the control."""
