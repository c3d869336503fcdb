"""The grading suite: every cheat against every judge, through the patch gate as a candidate has to go.

Takes    a Ground, judges by name, cheats.
Gives    a row per cheat and tier; what the gate refused is graded all the same, to see whether a second wall stands.
Refuses  nothing.
Covered      a broken package graded as passing every node; an outcome set that is not the expected one; hidden output
             shown; a later grading of the untouched broken package that passes.
Not covered  how much an outcome tells a program over many gradings.
Source       DESIGN.md, "Running and grading code"; issue text in grading/*.toml, one `why` each.
"""

import functools
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tasks.attacks.cheats import Cheat, cheats, subject, survivors
from tasks.attacks.judges import JUDGES, LIMITS, TIERS, Ground, Judge, Naive
from tasks.attacks.rows import Acceptance, Row, Start, SuiteReport
from tasks.records.attempt import TestReport
from tasks.records.case import Case, Edit
from tasks.records.errors import Damaged, SandboxTrouble
from tasks.records.tree import SourceTree
from tasks.workspace.edits import Applied, apply
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.sandbox import Limits, Sandbox

AT_A_TIME = 2
ENOUGH_BITS = 20

Gate = Callable[[Case, tuple[Edit, ...]], Applied]
Make = Callable[[Ground, Limits], Judge]
Progress = Callable[[str, int, int], None]


def product_gate(case: Case, edits: tuple[Edit, ...]) -> Applied:
    """The gate that every proposal passes."""
    return apply(case.repo, edits, case.scope)


def open_gate(case: Case, edits: tuple[Edit, ...]) -> Applied:
    """No gate: whatever is proposed is the tree. A weakened part, for controls and for the kill matrix."""
    created = SourceTree.of({edit.path: edit.replace for edit in edits})
    return Applied(tree=case.repo.overlaid(created), refusals=(), in_scope=True, touched=())


@dataclass
class Grading:
    """Cheats against judges on one ground."""

    ground: Ground
    judges: dict[str, Make] = field(default_factory=lambda: dict(JUDGES))
    gate: Gate = product_gate
    controls: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def row(self, tier: str, cheat: Cheat) -> Row:
        """One cheat, one judge."""
        refusals = self.gate(subject().case, subject().edits(cheat)).refusals
        verdict = self.verdict(tier, cheat)
        fooled, note = (verdict == "fooled" and not refusals), verdict
        if refusals:
            note = f"patch gate: {refusals[0].path} {refusals[0].reason}; behind it: {verdict}"
        ran = f"fooled {tier}" if verdict == "fooled" else self._exercised(tier, cheat, verdict)
        return Row(
            suite="grading", tier=tier, attack=cheat.name, kind=cheat.kind, why=cheat.why,
            expected="fooled" if cheat.name in survivors(tier) else "blocked",
            observed="fooled" if fooled else "blocked" if ran else "unexercised", ran=ran, note=note,
        )  # fmt: skip

    def fooled(self, tier: str, cheat: Cheat) -> bool:
        """Whether a cheat gets through the gate and past the judge."""
        refused = self.gate(subject().case, subject().edits(cheat)).refusals
        return not refused and self.verdict(tier, cheat) == "fooled"

    def verdict(self, tier: str, cheat: Cheat) -> str:
        """`fooled`, or what the judge saw instead."""
        judge, seen = self.judges[tier](self.ground, limited(cheat)), ""
        for tree in [cheat.over(subject().case.repo), *([subject().case.repo] if cheat.then else [])]:
            report = graded(judge, tree)
            if report is None:
                seen = "broke its sandbox"
            elif fault := fooled_by(report, self.ground.nodes):
                return fault
            else:
                seen = seen or told(report)
        return seen

    def _exercised(self, tier: str, cheat: Cheat, verdict: str) -> str:
        """What shows that the cheat ran; empty if nothing does.

        It changed what this judge saw of the broken package, or it fooled the naive judge, or left its mark there.
        """
        if verdict != self._untouched(tier):
            return "changed what the judge saw"
        if cheat.name not in self.controls:
            self.controls[cheat.name] = self._control(cheat)
        return self.controls[cheat.name]

    def _untouched(self, tier: str) -> str:
        """What a judge sees of the broken package alone."""
        if tier not in self.broken:
            report = graded(self.judges[tier](self.ground, LIMITS), subject().case.repo)
            self.broken[tier] = told(report) if report else "broke its sandbox"
        return self.broken[tier]

    def _control(self, cheat: Cheat) -> str:
        try:
            belief = Naive(self.ground, limited(cheat)).believes(cheat.over(subject().case.repo))
        except SandboxTrouble:
            return "broke the naive judge's sandbox"
        if belief.sources:
            return f"fooled naive ({', '.join(belief.sources)})"
        return "left its mark" if belief.ran else ""

    def rows(self, tiers: Iterable[str], chosen: Sequence[Cheat], progress: Progress | None = None) -> list[Row]:
        """Every cheat on every tier, two at a time, in the order of the files."""
        found: list[Row] = []
        for tier in tiers:
            with ThreadPoolExecutor(AT_A_TIME) as pool:
                for number, row in enumerate(pool.map(functools.partial(self.row, tier), chosen), start=1):
                    found.append(row)
                    if progress:
                        progress(f"cheats, {tier}", number, len(chosen))
        return found

    def accepted(self, tier: str, gradings: int, progress: Progress | None = None) -> Acceptance:
        """How often the true fix is accepted."""
        judge, count = self.judges[tier](self.ground, LIMITS), 0
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            reports = pool.map(lambda _: judge.grade(subject().fixed), range(gradings))
            for number, report in enumerate(reports, start=1):
                count += report.all_passed(subject().nodes)
                if progress:
                    progress(f"true fix, {tier}", number, gradings)
        return Acceptance(tier=tier, gradings=gradings, accepted=count)


def limited(cheat: Cheat) -> Limits:
    """The suite's limits; a cheat that is a matter of patience says how much of it."""
    return LIMITS if cheat.limit_seconds is None else LIMITS.model_copy(update={"wall_seconds": cheat.limit_seconds})


def graded(judge: Judge, tree: SourceTree) -> TestReport | None:
    """None where the tree broke its sandbox twice, as the grader would see it."""
    for _ in range(2):
        try:
            return judge.grade(tree)
        except SandboxTrouble:
            continue
    return None


def fooled_by(report: TestReport, nodes: tuple[str, ...]) -> str:
    """`fooled` for every way in which a report may betray its reader; empty if it holds."""
    wrong = report.all_passed(nodes) or report.shown or set(report.outcomes) - set(nodes)
    return "fooled" if wrong else ""


def told(report: TestReport) -> str:
    """What the judge saw, in a few words."""
    outcomes = sorted({outcome for outcome in report.outcomes.values() if outcome != "passed"})
    return f"{report.ended}: {', '.join(outcomes) or 'nothing else'}"


def run(
    ground: Ground, *, tiers: Sequence[str] = (), gradings: int = 0, chosen: Sequence[Cheat] = (),
    progress: Progress | None = None,
) -> SuiteReport:  # fmt: skip
    """The whole suite, or the chosen part of it."""
    suite, seconds, rows, accepted = Grading(ground), dict[str, float](), list[Row](), list[Acceptance]()
    tiers = tuple(tiers) or TIERS
    for tier in tiers:
        started = time.monotonic()
        rows += suite.rows([tier], chosen or cheats(), progress)
        seconds[tier] = round(time.monotonic() - started, 1)
        if gradings:
            accepted.append(suite.accepted(tier, gradings, progress))
    bits = {"twinned": doubt(ground)} if "twinned" in tiers else {}
    return SuiteReport(
        suite="grading", start=start_of(ground.sandbox), rows=tuple(rows), acceptances=tuple(accepted),
        bits=bits, seconds=seconds,
    )  # fmt: skip


def doubt(ground: Ground) -> float:
    """Bits that the subject's twins leave. Raises Damaged when a cheat that gets through might have been lucky."""
    bits = ground.twins.bits
    if bits < ENOUGH_BITS:
        raise Damaged(f"the subject's twins leave {bits:.1f} bits of doubt, expected {ENOUGH_BITS}")
    return bits


def start_of(sandbox: Sandbox) -> Start:
    """How what it runs starts."""
    return "forked" if isinstance(sandbox, ForkServer) and not sandbox.why_cold else "cold"
