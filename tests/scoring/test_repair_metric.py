"""The metric repair/1, by hand-calculated totals."""

import pytest

from tasks.records.attempt import Attempt, Grading, Proposal
from tasks.records.case import Edit
from tasks.records.errors import Damaged
from tasks.records.scorecard import Component, Scorecard
from tasks.scoring.repair_metric import METRIC, WEIGHTS, score
from tests.scoring.making import CASE, CONTROL, PUBLIC, REFUSED, SEALED, attempt, grading, rejection, report, validation


def card_of(one: Attempt, graded: Grading | None) -> Scorecard:
    return score(one, graded, CASE, SEALED, CONTROL, split="dev")


def part(card: Scorecard, name: str) -> Component:
    return next(component for component in card.components if component.name == name)


def test_weights_are_those_declared() -> None:
    """The weights are the ones that the metric's version stands for."""
    expected = {
        "schema_valid": 0.04,
        "patch_valid": 0.04,
        "scope_ok": 0.04,
        "parses": 0.04,
        "public_tests": 0.04,
        "independent_tests": 0.54,
        "motivating_concern": 0.12,
        "no_regression": 0.14,
        "independent_fraction": 0.0,
        "similarity": 0.0,
    }
    assert expected == WEIGHTS


def test_a_right_patch_totals_one() -> None:
    """Every test passes in both regrades: 1."""
    card = card_of(attempt(validation()), grading())
    assert card.total == 1.0
    assert (card.metric, card.group, card.split) == (METRIC, "invoice", "dev")


def test_a_rejection_totals_036_graded_or_not() -> None:
    """Four formal components, half of the concern and no regression: 4 * .04 + .06 + .14."""
    assert card_of(rejection(), None).total == 0.36
    assert card_of(rejection(validation(())), grading(SEALED.pass_to_pass)).total == 0.36


def test_the_untouched_invoice_has_an_independent_fraction_of_one_half() -> None:
    """Three of six sealed tests pass on the broken baseline, as the fourth seed measured."""
    fraction = part(card_of(rejection(), grading(SEALED.pass_to_pass)), "independent_fraction")
    assert (fraction.value, fraction.reason) == (0.5, "3 of 6 sealed tests passed")


def test_a_wrong_patch_that_breaks_nothing_totals_034() -> None:
    """Five formal components and no regression: 5 * .04 + .14."""
    card = card_of(attempt(validation()), grading(SEALED.pass_to_pass))
    assert card.total == 0.34
    assert part(card, "independent_tests").reason == "3 of 6 sealed tests passed"


def test_a_fix_that_breaks_something_totals_032() -> None:
    """Five formal components and the concern: 5 * .04 + .12."""
    card = card_of(attempt(validation()), grading((*SEALED.fail_to_pass, *SEALED.pass_to_pass[:2])))
    assert card.total == 0.32
    assert part(card, "no_regression").reason == "1 regressions among 1 public and 3 sealed tests"


def test_regrades_that_disagree_are_no_pass() -> None:
    """Flaky is failed: only the formal components count, and the reason says so."""
    card = card_of(attempt(validation()), grading(agree=False))
    assert card.total == 0.2
    assert part(card, "independent_tests").reason == "2 regrades disagree: a flaky pass is no pass"


@pytest.mark.parametrize("outcome", ["skipped", "missing", "error", "failed"])
def test_an_outcome_other_than_passed_is_no_pass(outcome: str) -> None:
    """One sealed node that did not pass in one regrade takes the whole component."""
    fine = report(SEALED.all, SEALED.all)
    odd = fine.model_copy(update={"outcomes": fine.outcomes | {SEALED.fail_to_pass[0]: outcome}})
    graded = Grading(case_id=CASE.case_id, tree="t", reports=(fine, odd), agree=True)
    assert part(card_of(attempt(validation()), graded), "independent_tests").value == 0


@pytest.mark.parametrize("ended", ["timeout", "signal", "output_limit", "mismatch"])
def test_a_run_that_did_not_end_by_itself_shows_nothing(ended: str) -> None:
    """A report full of passes from a killed process passes nothing, public tests included: four formal parts of .04."""
    dead = report(SEALED.all, SEALED.all, ended=ended)
    graded = Grading(case_id=CASE.case_id, tree="t", reports=(dead, dead), agree=True)
    assert card_of(attempt(validation()), graded).total == 0.16


def test_a_refused_edit_scores_its_schema_only() -> None:
    """Nothing was applied: schema .04 and the formal values that the validation holds."""
    card = card_of(attempt(REFUSED), None)
    assert part(card, "patch_valid").reason == "1 edits were refused"
    assert card.total == pytest.approx(0.04 + 0.04 + 0.04)


def test_an_answer_that_does_not_parse_is_no_rejection() -> None:
    """Neither edits nor a rejection: nothing is earned, whatever an earlier patch did."""
    silent = attempt(validation(), proposal=Proposal(schema_valid=False))
    assert card_of(silent, None).total == 0.0


def test_a_graded_patch_out_of_scope_earns_nothing_sealed() -> None:
    """Sealed passes of a patch that touched what it must not are void."""
    card = card_of(attempt(validation(in_scope=False)), grading())
    assert part(card, "independent_tests").value == 0
    assert card.total == pytest.approx(0.16)


def test_a_broken_public_test_is_a_regression() -> None:
    """Public pass_to_pass nodes count among the regressions."""
    card = card_of(attempt(validation(PUBLIC.fail_to_pass)), grading())
    assert part(card, "no_regression").reason == "1 regressions among 1 public and 3 sealed tests"


def test_similarity_is_told_and_not_scored() -> None:
    """The control patch itself has ratio 1, another text less, at weight 0."""
    other = Proposal(edits=(Edit(path="invoice.py", search="price", replace="zzz"),))
    same, unlike = (card_of(one, grading()) for one in (attempt(validation()), attempt(validation(), proposal=other)))
    assert part(same, "similarity").value == 1.0
    assert part(unlike, "similarity").value < 1
    assert same.total == unlike.total


@pytest.mark.parametrize("outcome", ["provider", "sandbox", "harness", "budget", "tamper"])
def test_a_failure_has_no_scorecard(outcome: str) -> None:
    """Only `scored` attempts are scored: an outage never becomes a zero."""
    with pytest.raises(Damaged, match=outcome):
        card_of(attempt(validation(), outcome=outcome), None)


def test_evidence_of_two_cases_makes_no_scorecard() -> None:
    """A grading of another case is refused by both names."""
    with pytest.raises(Damaged, match=r"invoice-quantity.*other"):
        card_of(attempt(validation()), grading().model_copy(update={"case_id": "other"}))
