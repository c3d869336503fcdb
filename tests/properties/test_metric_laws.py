"""Laws of repair/1 over all evidence."""

from hypothesis import given
from hypothesis import strategies as st

from tasks.records.attempt import Attempt, EditRefusal, Grading, NodeOutcome, Proposal, TestReport
from tasks.records.scorecard import Scorecard
from tasks.scoring.feedback import feedback
from tasks.scoring.repair_metric import score
from tests.scoring.making import CASE, CONTROL, FIX, PUBLIC, SEALED, attempt, validation

OUTCOMES: tuple[NodeOutcome, ...] = ("passed", "failed", "error", "skipped", "missing")
ENDED = ("exit", "exit", "exit", "signal", "timeout", "output_limit", "mismatch")
REFUSAL = EditRefusal(path="invoice.py", reason="occurs twice")


@st.composite
def reports(draw: st.DrawFn, nodes: tuple[str, ...]) -> TestReport:
    """Any outcomes of some or all of `nodes`, ended in any way; passes are common."""
    outcome = st.one_of(st.just("passed"), st.sampled_from(OUTCOMES))
    outcomes = {node: draw(outcome) for node in nodes if draw(st.integers(0, 9))}
    told = {"tree": "t", "outcomes": outcomes, "ended": draw(st.sampled_from(ENDED)), "shown": "", "tier": "separate"}
    return TestReport.model_validate(told)


@st.composite
def attempts(draw: st.DrawFn, proposals: st.SearchStrategy[Proposal]) -> Attempt:
    """Any proposal after any validations."""
    made = [
        validation(
            applied=draw(st.booleans()),
            in_scope=draw(st.booleans()),
            parses=draw(st.booleans()),
            refusals=draw(st.sampled_from([(), (REFUSAL,)])),
            report=draw(st.none() | reports(PUBLIC.all)),
        )
        for _ in range(draw(st.integers(0, 2)))
    ]
    return attempt(*made, proposal=draw(proposals), reproduction=draw(reports(PUBLIC.all)))


GRADINGS = st.none() | st.builds(
    Grading,
    case_id=st.just(CASE.case_id),
    tree=st.just("t"),
    reports=st.lists(reports(SEALED.all), max_size=3).map(tuple),
    agree=st.booleans(),
)
HONEST = st.just(Proposal(rejection="the evidence supports no patch"))
OTHER = st.sampled_from(
    [
        Proposal(edits=(FIX,)),
        Proposal(edits=(FIX,), schema_valid=False),
        Proposal(edits=(FIX,), rejection="both"),
        Proposal(schema_valid=False),
        Proposal(rejection="garbled", schema_valid=False),
        Proposal(rejection="  "),
        Proposal(),
    ]
)


def card_of(one: Attempt, graded: Grading | None) -> Scorecard:
    return score(one, graded, CASE, SEALED, CONTROL, split="dev")


def right(card: Scorecard) -> bool:
    return any(part.name == "independent_tests" and part.value == 1 for part in card.components)


@given(attempts(HONEST), GRADINGS, attempts(OTHER), GRADINGS)
def test_an_honest_rejection_lies_between_wrong_and_right(
    honest: Attempt, honest_grading: Grading | None, other: Attempt, grading: Grading | None
) -> None:
    """Strictly above every answer that independent evaluation does not pass, strictly below every one that it does."""
    rejected, card = card_of(honest, honest_grading), card_of(other, grading)
    assert (card.total > rejected.total) if right(card) else (card.total < rejected.total)


@given(attempts(HONEST), GRADINGS)
def test_a_rejection_is_never_right(honest: Attempt, grading: Grading | None) -> None:
    """Nothing that is graded makes a rejection a fix."""
    assert not right(card_of(honest, grading))


@given(attempts(OTHER), GRADINGS, st.sampled_from(SEALED.all), st.integers(0, 2), st.sampled_from(OUTCOMES[1:]))
def test_a_further_sealed_regression_never_raises_a_total(
    one: Attempt, grading: Grading | None, node: str, place: int, outcome: NodeOutcome
) -> None:
    """A sealed node that no longer passes, in any regrade."""
    if grading is None or place >= len(grading.reports):
        return
    worse = list(grading.reports)
    worse[place] = _with(worse[place], node, outcome)
    broken = grading.model_copy(update={"reports": tuple(worse)})
    assert card_of(one, broken).total <= card_of(one, grading).total


@given(attempts(OTHER), GRADINGS, st.sampled_from(PUBLIC.all), st.sampled_from(OUTCOMES[1:]))
def test_a_further_public_regression_never_raises_a_total(
    one: Attempt, grading: Grading | None, node: str, outcome: NodeOutcome
) -> None:
    """A public node that no longer passes, with the same grading and without one (validation no longer passed)."""
    if not one.validations or one.validations[-1].report is None:
        return
    last = one.validations[-1]
    assert last.report is not None
    worse = last.model_copy(update={"report": _with(last.report, node, outcome), "passed": False})
    broken = one.model_copy(update={"validations": (*one.validations[:-1], worse)})
    before = card_of(one, grading).total
    assert card_of(broken, grading).total <= before
    assert card_of(broken, None).total <= before


@given(attempts(OTHER | HONEST), GRADINGS)
def test_regrades_that_disagree_never_raise_a_total(one: Attempt, grading: Grading | None) -> None:
    """Flaky is at most as good as stable."""
    if grading is not None:
        flaky = grading.model_copy(update={"agree": False})
        assert card_of(one, flaky).total <= card_of(one, grading).total


@given(attempts(OTHER | HONEST), GRADINGS)
def test_every_total_is_on_the_scale_and_repeatable(one: Attempt, grading: Grading | None) -> None:
    """Scoring is a pure function into [0, 1]."""
    card = card_of(one, grading)
    assert 0 <= card.total <= 1
    assert card.fingerprint == card_of(one, grading).fingerprint


@given(attempts(OTHER | HONEST), GRADINGS, st.sampled_from(["score", "components", "full"]))
def test_feedback_never_names_a_sealed_node(one: Attempt, grading: Grading | None, level: str) -> None:
    """Whatever happened, no sealed node id is in what reflection reads."""
    text = feedback(one, card_of(one, grading), level).text  # type: ignore[arg-type]
    assert not [node for node in SEALED.all if node in text or node.split("::")[0] in text]


def _with(report: TestReport, node: str, outcome: NodeOutcome) -> TestReport:
    return report.model_copy(update={"outcomes": report.outcomes | {node: outcome}})
