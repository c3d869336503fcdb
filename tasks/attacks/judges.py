"""Judges: whoever says of a tree whether the hidden tests pass.

Takes    a tree; each judge lays the sealed tests on it in its own way.
Gives    a TestReport. The naive judge also says which of its three sources believed, and whether the cheat ran.
Refuses  nothing; SandboxTrouble when a cheat broke the sandbox.
Source   DESIGN.md, "Running and grading code": the grading tiers.

Each tier is the product's own `judging.judge`, under a plan in which that tier judges every node.
"""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from tasks.attacks.cheats import MARK, all_passed, subject
from tasks.records.attempt import TestReport
from tasks.records.grading import GradingPlan, GradingTier, NodePlan
from tasks.records.tree import SourceTree
from tasks.workspace import judging, twinned
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
class Parts:
    """What of the product judges. The kill matrix puts copies here that lack something."""

    bench: type[Bench] = Bench
    exam: type[judging.Exam] = judging.Exam
    judge: Callable[[Bench, judging.Exam, SourceTree, GradingPlan], TestReport] = judging.judge
    planned: Callable[..., tuple[NodePlan, ...]] = twinned.planned


@dataclass(frozen=True)
class Ground:
    """Where judges stand, and which nodes they judge."""

    sandbox: Sandbox
    environment: Environment
    parts: Parts = Parts()
    nodes: tuple[str, ...] = field(default_factory=lambda: subject().nodes)

    @functools.cached_property
    def exam(self) -> judging.Exam:
        """The subject as the product would be given it."""
        return self.parts.exam(subject().case.case_id, subject().case.repo, subject().seal.tests)

    @functools.cached_property
    def twins(self) -> GradingPlan:
        """The subject's twins, found once."""
        exam, bench = self.exam, self.parts.bench(self.sandbox, self.environment, LIMITS)
        fixed, before = exam.restored(subject().fixed), exam.restored(exam.untouched)
        plans = self.parts.planned(bench, fixed, exam.sealed, subject().nodes, untouched=before)
        return GradingPlan(case_id=exam.case_id, nodes=plans)

    def plan(self, tier: GradingTier) -> GradingPlan:
        """Every node judged by one tier."""
        if tier == "twinned":
            nodes = tuple(each for each in self.twins.nodes if each.node in self.nodes)
        else:
            nodes = tuple(NodePlan(node=node, tier=tier) for node in self.nodes)
        return GradingPlan(case_id=self.exam.case_id, nodes=nodes)


class Judge(Protocol):
    """One tier of grading."""

    @property
    def tier(self) -> str: ...

    def grade(self, candidate: SourceTree) -> TestReport: ...


class Tiered:
    """The product's own judging, with every node at one tier."""

    def __init__(self, tier: GradingTier, ground: Ground, limits: Limits) -> None:
        self.tier, self.ground, self.plan = tier, ground, ground.plan(tier)
        self.bench = ground.parts.bench(ground.sandbox, ground.environment, limits)

    def grade(self, candidate: SourceTree) -> TestReport:
        return self.ground.parts.judge(self.bench, self.ground.exam, candidate, self.plan)


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


TIERS: tuple[GradingTier, ...] = ("in-process", "twinned", "separate")
JUDGES: dict[str, Callable[[Ground, Limits], Judge]] = {tier: functools.partial(Tiered, tier) for tier in TIERS}
"""By tier, strongest last; `naive` is no tier but the control."""
