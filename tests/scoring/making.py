"""Evidence for tests of the metric: one case with two public and six sealed tests, and attempts on it."""

from collections.abc import Iterable

from tasks.records.attempt import (
    Attempt,
    EditRefusal,
    Grading,
    NodeOutcome,
    Process,
    Proposal,
    TestReport,
    Usage,
    Validation,
)
from tasks.records.case import Case, Edit, KnownPatch, TestNodes
from tasks.records.evidence import EvidencePacket
from tasks.records.tree import SourceTree

PUBLIC = TestNodes(fail_to_pass=("test_a.py::test_total",), pass_to_pass=("test_a.py::test_empty",))
SEALED = TestNodes(
    fail_to_pass=("hidden.py::test_1", "hidden.py::test_2", "hidden.py::test_3"),
    pass_to_pass=("hidden.py::test_4", "hidden.py::test_5", "hidden.py::test_6"),
)
CASE = Case(
    case_id="invoice-quantity",
    group="invoice",
    issue="Totals ignore quantity.",
    constraints="Keep the interface.",
    repo=SourceTree.of({"invoice.py": "def total(): ...\n"}),
    scope=("invoice.py",),
    public=PUBLIC,
)
FIX = Edit(path="invoice.py", search="price", replace="price * quantity")
CONTROL = KnownPatch(name="control", why="multiplies", edits=(FIX,))


def report(passed: Iterable[str], nodes: Iterable[str], **other: str) -> TestReport:
    """A run in which exactly `passed` of `nodes` passed."""
    good = set(passed)
    outcomes: dict[str, NodeOutcome] = {node: "passed" if node in good else "failed" for node in nodes}
    return TestReport.model_validate(
        {"tree": "t", "outcomes": outcomes, "ended": "exit", "shown": "shown text", "tier": "separate"} | other
    )


def validation(passing: Iterable[str] = PUBLIC.all, **other: object) -> Validation:
    """A validation of edits that applied; `passing` public tests passed."""
    shown = report(passing, PUBLIC.all)
    told = {
        "applied": True,
        "in_scope": True,
        "parses": True,
        "refusals": (),
        "tree": "t",
        "report": shown,
        "passed": shown.all_passed(PUBLIC.all),
    }
    return Validation.model_validate(told | other)


REFUSED = validation(
    applied=False, passed=False, report=None, refusals=(EditRefusal(path="invoice.py", reason="search occurs 0 times"),)
)


def attempt(*validations: Validation, proposal: Proposal | None = None, **other: object) -> Attempt:
    """An attempt whose last validation is that of its edits."""
    told = {
        "case_id": CASE.case_id,
        "session": "s0",
        "arm": "candidate",
        "candidate": "c",
        "reproduction": report(PUBLIC.pass_to_pass, PUBLIC.all, shown="E  assert 3 == 6"),
        "evidence": EvidencePacket(request="r", observations=()),
        "proposal": proposal or Proposal(edits=(FIX,)),
        "validations": validations,
        "revisions": max(0, len(validations) - 1),
        "usage": Usage(lm_calls=4, input_tokens=0, output_tokens=0, tool_calls=0, validations=len(validations)),
        "process": Process(repeated_calls=0, rejected_calls=0, unread_suspected_files=0, stopped_early=False),
        "locus": "none",
    }
    return Attempt.model_validate(told | other)


def rejection(*validations: Validation) -> Attempt:
    """An honest rejection, perhaps after a patch that failed."""
    return attempt(*validations, proposal=Proposal(rejection="the evidence supports no patch"))


def grading(passed: Iterable[str] = SEALED.all, *, agree: bool = True) -> Grading:
    """Two regrades alike."""
    shown = report((*PUBLIC.all, *passed), (*PUBLIC.all, *SEALED.all))
    return Grading(case_id=CASE.case_id, tree="t", reports=(shown, shown), agree=agree)
