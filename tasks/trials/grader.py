"""The grader: test reports for trees, each distinct tree tested once a stage and ordinal, and said so.

Takes    a case's tree with edits, and the nodes that are expected of it.
Gives    a TestReport; the same tree in the same stage of the same experiment gets the report that exists already.
Refuses  to answer when the sandbox broke (SandboxTrouble); a tree that broke it twice is the candidate's own low score.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from tasks.evidence.index import key_of
from tasks.evidence.store import EvidenceStore
from tasks.records.attempt import Grading, NodeOutcome, TestReport, Validation
from tasks.records.case import Case, Edit, Sealed
from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.records.grading import GradingPlan, NodePlan
from tasks.records.tree import SourceTree
from tasks.trials.benches import Benches
from tasks.workspace import judging
from tasks.workspace.edits import Applied, apply, parses
from tasks.workspace.grading import Bench
from tasks.workspace.judging import Exam
from tasks.workspace.probe import probe


class Grader:
    """Tests trees for one stage of one experiment. `asked` and `computed` count questions and sandbox runs."""

    def __init__(
        self,
        benches: Benches,
        store: EvidenceStore,
        scope: Mapping[str, Any],
        plans: Mapping[str, GradingPlan] | None = None,
    ) -> None:
        """`plans` say by which tier each test of a case is judged; a case without one is judged in-process."""
        self._benches, self._store, self._scope, self._plans = benches, store, dict(scope), dict(plans or {})
        self._lock = threading.Lock()
        self.asked = self.computed = 0

    def reproduce(self, case: Case) -> TestReport:
        """The public tests on untouched code."""
        return self._tested(case, case.repo)

    def validate(self, case: Case, edits: tuple[Edit, ...]) -> Validation:
        """Apply edits to a copy and run the public tests; nothing is applied when one edit is refused."""
        applied = self.applied(case, edits)
        if applied.refusals:
            return Validation(
                applied=False,
                in_scope=applied.in_scope,
                parses=True,
                refusals=applied.refusals,
                tree=case.repo.fingerprint,
                report=None,
                passed=False,
            )
        whole = parses(applied.tree, tuple(edit.path for edit in edits if edit.action != "delete"))
        report = self._tested(case, applied.tree)
        return Validation(
            applied=True,
            in_scope=True,
            parses=whole,
            refusals=(),
            tree=applied.tree.fingerprint,
            report=report,
            passed=whole and report.all_passed(case.public.all),
        )

    def grade(self, case: Case, seal: Sealed, edits: tuple[Edit, ...], times: int) -> Grading:
        """Public and sealed tests on the final tree, `times` over in fresh sandboxes; their output is withheld."""
        return self.grade_tree(case, seal, self.applied(case, edits).tree, times)

    def applied(self, case: Case, edits: tuple[Edit, ...]) -> Applied:
        """The tree under the edits, or the untouched one with the reasons for refusing them."""
        return apply(case.repo, edits, case.scope)

    def plan(self, case: Case, seal: Sealed, control: SourceTree) -> GradingPlan:
        """By which tier each test is judged, found on the control patch's tree."""
        nodes = case.public.all + seal.nodes.all
        parts = {
            **self._scope,
            "tree": control.fingerprint,
            "nodes": list(nodes),
            "sealed": seal.tests.fingerprint,
        }
        key = key_of("plan", parts)
        if known := self._store.recall(key):
            return self._store.get(known, GradingPlan)
        grading, trusted = self._benches.grading(case), self._benches.trusted(case)
        made = judging.plan(grading, exam_of(case, seal), control, nodes, trusted=trusted)
        self._store.remember(key, self._store.put(made), parts)
        return made

    def grade_tree(self, case: Case, seal: Sealed, tree: SourceTree, times: int) -> Grading:
        """The same on a tree. Its doubts are one run more, whatever `times`: every report has to pass them."""
        bench, exam = self._benches.grading(case), exam_of(case, seal)
        plan = self._plans.get(case.case_id) or unplanned(case, seal)
        named = {"tree": exam.restored(tree).fingerprint, "sealed": seal.tests.fingerprint, "plan": plan.fingerprint}
        doubter = self._doubter(bench, exam, tree, {**named, "candidate": tree.fingerprint})
        reports = tuple(
            self._remembered(
                bench,
                {**named, "candidate": tree.fingerprint, "ordinal": ordinal},
                lambda: judging.judge(bench, exam, tree, plan, doubter),
                lambda: lost(bench, named["tree"], tuple(each.node for each in plan.nodes)),
            )
            for ordinal in range(times)
        )
        agree = all(report.outcomes == reports[0].outcomes for report in reports)
        return Grading(case_id=case.case_id, tree=reports[0].tree, reports=reports, agree=agree)

    def grade_trusted(self, case: Case, seal: Sealed, tree: SourceTree) -> Grading:
        """Public and sealed tests in one process with a tree that no candidate wrote, once: it forges nothing."""
        bench, graded = self._benches.trusted(case), exam_of(case, seal).restored(tree)
        nodes = case.public.all + seal.nodes.all
        report = self._remembered(
            bench,
            {"trusted": graded.fingerprint, "nodes": list(nodes)},
            lambda: bench.test(graded, nodes, hide_output=True),
            lambda: lost(bench, graded.fingerprint, nodes),
        )
        return Grading(case_id=case.case_id, tree=graded.fingerprint, reports=(report,), agree=True)

    def _doubter(self, bench: Bench, exam: Exam, tree: SourceTree, named: Mapping[str, Any]) -> judging.Doubter:
        def ask(plans: tuple[NodePlan, ...]) -> TestReport:
            nodes = tuple(each.node for each in plans)
            return self._remembered(
                bench,
                {**named, "doubted": list(nodes)},
                lambda: judging.doubts_of(bench, exam, tree)(plans),
                lambda: lost(bench, named["tree"], nodes),
            )

        return ask

    def _tested(self, case: Case, tree: SourceTree) -> TestReport:
        """Public tests, with their output."""
        bench, nodes = self._benches.trying(case), case.public.all
        return self._remembered(
            bench,
            {"tree": tree.fingerprint, "nodes": list(nodes)},
            lambda: bench.test(tree, nodes),
            lambda: lost(bench, tree.fingerprint, nodes),
        )

    def _remembered(
        self, bench: Bench, parts: Mapping[str, Any], test: Callable[[], TestReport], nothing: Callable[[], TestReport]
    ) -> TestReport:
        key = key_of("report", {**self._scope, **parts})
        with self._lock:
            self.asked += 1
        if known := self._store.recall(key):
            return self._store.get(known, TestReport)
        report = twice(bench, test) or nothing()
        self._store.remember(key, self._store.put(report), {**self._scope, **parts})
        with self._lock:
            self.computed += 1
        return report


def twice(bench: Bench, test: Callable[[], TestReport]) -> TestReport | None:
    """One test run, or None: a tree that breaks its sandbox twice, while it holds for others, has failed itself."""
    for _ in range(2):
        with suppress(SandboxTrouble):
            return test()
    try:
        probe(bench.sandbox)
    except SandboxUnavailable as unwell:
        raise SandboxTrouble(str(unwell)) from unwell
    return None


def lost(bench: Bench, tree: str, nodes: tuple[str, ...]) -> TestReport:
    """Nothing passed."""
    outcomes: dict[str, NodeOutcome] = dict.fromkeys(nodes, "missing")
    return TestReport(tree=tree, outcomes=outcomes, ended="signal", shown="", tier=bench.sandbox.tier)


def exam_of(case: Case, seal: Sealed) -> Exam:
    """What a case is judged by."""
    return Exam(case_id=case.case_id, untouched=case.repo, sealed=seal.tests)


def unplanned(case: Case, seal: Sealed) -> GradingPlan:
    """Every test in-process: what a case is worth before control has found more."""
    nodes = case.public.all + seal.nodes.all
    return GradingPlan(
        case_id=case.case_id, nodes=tuple(NodePlan(node=node, tier="in-process", why="not planned") for node in nodes)
    )
