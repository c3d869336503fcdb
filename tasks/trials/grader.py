"""The grader: test reports for trees, each distinct tree tested once a stage and ordinal, and said so.

Takes    a case's tree with edits, and the nodes that are expected of it.
Gives    a TestReport; the same tree in the same stage of the same experiment gets the report that exists already.
Refuses  to answer when the sandbox broke (SandboxTrouble); a tree that broke it twice is the candidate's own low score.
"""

import threading
from collections.abc import Mapping
from typing import Any

from tasks.evidence.index import key_of
from tasks.evidence.store import EvidenceStore
from tasks.records.attempt import Grading, NodeOutcome, TestReport, Validation
from tasks.records.case import Case, Edit, Sealed
from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.edits import Applied, apply, parses
from tasks.workspace.grading import Bench
from tasks.workspace.probe import probe


class Grader:
    """Tests trees for one stage of one experiment. `asked` and `computed` count questions and sandbox runs."""

    def __init__(self, bench: Bench, store: EvidenceStore, scope: Mapping[str, Any]) -> None:
        self._bench, self._store, self._scope = bench, store, dict(scope)
        self._lock = threading.Lock()
        self.asked = self.computed = 0

    def reproduce(self, case: Case) -> TestReport:
        """The public tests on untouched code."""
        return self._report(case.repo, case.public.all)

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
        report = self._report(applied.tree, case.public.all)
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

    def grade_tree(self, case: Case, seal: Sealed, tree: SourceTree, times: int) -> Grading:
        """The same on a tree."""
        nodes = case.public.all + seal.nodes.all
        reports = tuple(self._report(tree, nodes, seal.tests, ordinal) for ordinal in range(times))
        agree = all(report.outcomes == reports[0].outcomes for report in reports)
        return Grading(case_id=case.case_id, tree=reports[0].tree, reports=reports, agree=agree)

    def _report(
        self, tree: SourceTree, nodes: tuple[str, ...], sealed: SourceTree | None = None, ordinal: int = 0
    ) -> TestReport:
        parts = {
            **self._scope,
            "tree": tree.fingerprint,
            "nodes": list(nodes),
            "sealed": sealed.fingerprint if sealed else None,
            "ordinal": ordinal,
        }
        key = key_of("report", parts)
        with self._lock:
            self.asked += 1
        if known := self._store.recall(key):
            return self._store.get(known, TestReport)
        report = self._tested(tree, nodes, sealed)
        self._store.remember(key, self._store.put(report), parts)
        with self._lock:
            self.computed += 1
        return report

    def _tested(self, tree: SourceTree, nodes: tuple[str, ...], sealed: SourceTree | None) -> TestReport:
        """One test run; a tree that breaks its sandbox twice, while the sandbox holds for others, has failed itself."""
        try:
            return self._bench.test(tree, nodes, sealed=sealed, hide_output=sealed is not None)
        except SandboxTrouble:
            try:
                return self._bench.test(tree, nodes, sealed=sealed, hide_output=sealed is not None)
            except SandboxTrouble:
                self._refuse_if_unwell()
        graded = tree if sealed is None else tree.overlaid(sealed)
        lost: dict[str, NodeOutcome] = dict.fromkeys(nodes, "missing")
        return TestReport(
            tree=graded.fingerprint,
            outcomes=lost,
            ended="signal",
            shown="",
            tier=self._bench.sandbox.tier,
            tiers=dict.fromkeys(nodes, "in-process"),
        )

    def _refuse_if_unwell(self) -> None:
        try:
            probe(self._bench.sandbox)
        except SandboxUnavailable as unwell:
            raise SandboxTrouble(str(unwell)) from unwell
