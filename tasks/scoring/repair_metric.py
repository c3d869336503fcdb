"""The metric `repair/1`: eight weighted components of one repair attempt, and two of weight 0.

Takes    a scored attempt, its independent grading (or none), the case, the sealed nodes and the control patch.
Gives    a Scorecard with ten components in a fixed order, each in [0, 1] with a reason; total in [0, 1].
Refuses  an attempt that has no score (its outcome is not `scored`), and evidence of different cases.
Source   DESIGN.md, "Scores". What is not shown is not passed: a skip, a missing node, a timeout, regrades that
         disagree.

Laws (tests/properties/test_metric_laws.py): right > honest rejection > wrong, for every evidence; a further regression
never raises a total. With these weights: right >= 0.66, rejection 0.36 to 0.40, wrong <= 0.34.
"""

from collections.abc import Callable
from difflib import SequenceMatcher

from tasks.records.attempt import Attempt, Grading
from tasks.records.case import Case, KnownPatch, Split, TestNodes
from tasks.records.errors import Damaged
from tasks.records.scorecard import Component, Scorecard
from tasks.scoring.repair_evidence import Evidence, Mark, evidence

METRIC = "repair/1"
MAX_COMPARED_CHARS = 8_000  # SequenceMatcher is quadratic


def score(
    attempt: Attempt, grading: Grading | None, case: Case, nodes: TestNodes, control: KnownPatch, *, split: Split
) -> Scorecard:
    """The scorecard of one attempt; `nodes` are the sealed ones, `grading` is None when nothing was evaluated.

    Raises Damaged for an unscored attempt, or when attempt, grading and case are not about the same case.
    """
    if attempt.outcome != "scored":
        raise Damaged(f"attempt on {attempt.case_id!r} has outcome {attempt.outcome!r}; only 'scored' has a scorecard")
    named = {attempt.case_id, case.case_id} | ({grading.case_id} if grading else set())
    if len(named) > 1:
        raise Damaged(f"evidence of different cases in one scorecard: {sorted(named)!r}")
    seen = evidence(attempt, grading, case, nodes)
    marks = {name: judge(seen) for name, (_, judge) in COMPONENTS.items()} | {"similarity": similarity(seen, control)}
    components = tuple(
        Component(name=name, value=mark.value, weight=WEIGHTS[name], reason=mark.reason) for name, mark in marks.items()
    )
    return Scorecard(
        case_id=case.case_id,
        group=case.group,
        split=split,
        session=attempt.session,
        arm=attempt.arm,
        metric=METRIC,
        attempt=attempt.fingerprint,
        components=components,
        total=total(components),
    )


def total(components: tuple[Component, ...]) -> float:
    """The weighted sum in [0, 1], rounded to 9 digits so that equal evidence gives equal numbers."""
    return round(min(1.0, sum(component.weight * component.value for component in components)), 9)


def schema_valid(seen: Evidence) -> Mark:
    held = seen.attempt.proposal.schema_valid
    return Mark(held, "every field parsed" if held else "a field did not parse")


def patch_valid(seen: Evidence) -> Mark:
    if seen.rejects:
        return Mark(True, "an explicit rejection is a valid answer")
    if seen.validation is None:
        return Mark(False, "no edits were validated")
    refused = len(seen.validation.refusals)
    held = seen.validation.applied and not refused
    return Mark(held, "every edit applied exactly once" if held else f"{refused} edits were refused")


def scope_ok(seen: Evidence) -> Mark:
    if seen.rejects:
        return Mark(True, "a rejection touches nothing")
    held = seen.validation is not None and seen.validation.in_scope
    return Mark(held, "every edit is in scope" if held else "no edits, or an edit out of scope")


def parses(seen: Evidence) -> Mark:
    if seen.rejects:
        return Mark(True, "a rejection leaves the source as it was")
    held = seen.validation is not None and seen.validation.parses
    return Mark(held, "the edited source parses" if held else "no edited source that parses")


def public_tests(seen: Evidence) -> Mark:
    return Mark.all_of(seen.public_passed, seen.case.public.all, "public tests")


def independent_tests(seen: Evidence) -> Mark:
    if seen.rejects:
        return Mark(False, "a rejection claims no fix")
    return seen.sealed_mark(seen.nodes.all, "sealed tests")


def motivating_concern(seen: Evidence) -> Mark:
    if seen.rejects:
        return Mark(0.5, "the concern is left open, and said to be")
    return seen.sealed_mark(seen.nodes.fail_to_pass, "sealed fail_to_pass tests")


def no_regression(seen: Evidence) -> Mark:
    if seen.rejects:
        return Mark(True, "0 regressions: a rejection changes nothing")
    public, sealed = seen.case.public.pass_to_pass, seen.nodes.pass_to_pass
    lost = [node for node in public if node not in seen.public_passed]
    hidden = [node for node in sealed if node not in seen.sealed_passed]
    why = f"; sealed: {seen.doubt}" if sealed and seen.doubt else ""
    return Mark(
        not lost and not hidden,
        f"{len(lost) + len(hidden)} regressions among {len(public)} public and {len(sealed)} sealed tests{why}",
    )


def independent_fraction(seen: Evidence) -> Mark:
    """Of the tree that was graded; for a rejection the untouched one, which shows how much of the case was broken."""
    passed = len(seen.sealed_passed)
    share = passed / len(set(seen.nodes.all)) if seen.nodes.all else 0.0
    return Mark(share, seen.doubt or f"{passed} of {len(set(seen.nodes.all))} sealed tests passed")


def similarity(seen: Evidence, control: KnownPatch) -> Mark:
    """difflib's ratio of the replaced text to the control patch's; told, never scored: a fix may look different."""
    ours, theirs = (
        "\n".join(f"{edit.path}\n{edit.replace}" for edit in edits)[:MAX_COMPARED_CHARS]
        for edits in (seen.attempt.proposal.edits, control.edits)
    )
    ratio = SequenceMatcher(None, ours, theirs, autojunk=False).ratio() if ours and theirs else 0.0
    return Mark(ratio, f"text ratio {ratio:.2f} to the control patch")


COMPONENTS: dict[str, tuple[float, Callable[[Evidence], Mark]]] = {
    "schema_valid": (0.04, schema_valid),
    "patch_valid": (0.04, patch_valid),
    "scope_ok": (0.04, scope_ok),
    "parses": (0.04, parses),
    "public_tests": (0.04, public_tests),
    "independent_tests": (0.54, independent_tests),
    "motivating_concern": (0.12, motivating_concern),
    "no_regression": (0.14, no_regression),
    "independent_fraction": (0.0, independent_fraction),
}
WEIGHTS: dict[str, float] = {name: weight for name, (weight, _) in COMPONENTS.items()} | {"similarity": 0.0}
