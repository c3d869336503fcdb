"""What the evidence of one repair attempt shows, before anybody puts a number on it.

Takes    a scored attempt, its grading or None, the case, the sealed nodes.
Gives    the public and the sealed nodes that are shown to pass, and in words why a grading shows nothing.
Refuses  nothing.
Source   DESIGN.md, "Scores" and "Running and grading code": a flaky pass is no pass; printed text is no evidence.
"""

from typing import NamedTuple, Self

from tasks.records.attempt import Attempt, Grading, TestReport, Validation
from tasks.records.case import Case, TestNodes


class Mark(NamedTuple):
    """A value in [0, 1] and its reason."""

    value: float
    reason: str

    @classmethod
    def all_of(cls, passed: frozenset[str], nodes: tuple[str, ...], what: str) -> Self:
        """1 when every node passed and there is one at all, else 0; the count is in the reason."""
        count = len(passed.intersection(nodes))
        return cls(bool(nodes) and count == len(set(nodes)), f"{count} of {len(set(nodes))} {what} passed")


class Evidence(NamedTuple):
    """`validation` is that of the final edits; `doubt` says why a grading shows nothing, else it is empty."""

    attempt: Attempt
    case: Case
    nodes: TestNodes
    rejects: bool
    validation: Validation | None
    public_passed: frozenset[str]
    sealed_passed: frozenset[str]
    doubt: str

    def sealed_mark(self, nodes: tuple[str, ...], what: str) -> Mark:
        """All or nothing over sealed nodes, with the doubt as the reason where there is one."""
        mark = Mark.all_of(self.sealed_passed, nodes, what)
        return Mark(0.0, self.doubt) if self.doubt else mark


def evidence(attempt: Attempt, grading: Grading | None, case: Case, nodes: TestNodes) -> Evidence:
    """Read what was shown; an attempt without edits has no final validation, whatever was tried before."""
    rejects = is_rejection(attempt)
    validation = attempt.validations[-1] if attempt.validations and attempt.proposal.edits else None
    report = attempt.reproduction if rejects else validation.report if validation else None
    doubt = _doubt(grading, rejects=rejects, validation=validation)
    reports = grading.reports if grading and not doubt else ()
    return Evidence(
        attempt=attempt,
        case=case,
        nodes=nodes,
        rejects=rejects,
        validation=validation,
        public_passed=_passed_in_all((*((report,) if report else ()), *reports), case.public.all),
        sealed_passed=_passed_in_all(reports, nodes.all),
        doubt=doubt,
    )


def is_rejection(attempt: Attempt) -> bool:
    """An explicit rejection: well-formed, says why, and proposes no edit."""
    proposal = attempt.proposal
    return bool(proposal.rejection.strip()) and not proposal.edits and proposal.schema_valid


def _doubt(grading: Grading | None, *, rejects: bool, validation: Validation | None) -> str:
    if grading is None or not grading.reports:
        return "not evaluated independently"
    if not rejects and not (validation and validation.applied and validation.in_scope):
        return "what was graded is no patch that applied in scope"
    if not grading.agree:
        return f"{len(grading.reports)} regrades disagree: a flaky pass is no pass"
    return ""


def _passed_in_all(reports: tuple[TestReport, ...], nodes: tuple[str, ...]) -> frozenset[str]:
    if not reports:
        return frozenset()
    return frozenset(node for node in nodes if all(report.all_passed((node,)) for report in reports))
