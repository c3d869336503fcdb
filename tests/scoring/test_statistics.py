"""The paired comparison, by hand."""

import pytest

from tasks.records.errors import Damaged
from tasks.records.scorecard import Failure, Marks, Scorecard
from tasks.records.verdict import Comparison
from tasks.scoring.rules_controls import REJECTION, RIGHT, WRONG, synthetic_card
from tasks.scoring.statistics import compare, hard_regressions

GROUPS = {"a1": "a", "a2": "a", "b1": "b"}


def cards(arm: str, **answers: list[dict[str, float]]) -> list[Scorecard]:
    """One card a session: cards("candidate", a1=[RIGHT, RIGHT])."""
    return [
        synthetic_card(case, GROUPS[case], f"s{session}", arm, values)  # type: ignore[arg-type]
        for case, sessions in answers.items()
        for session, values in enumerate(sessions)
    ]


def compared(*groups: list[Scorecard], confirmed: tuple[str, ...] = ()) -> Comparison:
    marks = Marks(scorecards=tuple(card for group in groups for card in group))
    return compare(marks, GROUPS, list(GROUPS), sessions=2, alpha=0.05, looks=2, confirmed=confirmed)


BEFORE = cards("baseline", a1=[REJECTION, REJECTION], a2=[REJECTION, REJECTION], b1=[WRONG, WRONG])
AFTER = cards("candidate", a1=[RIGHT, REJECTION], a2=[REJECTION, REJECTION], b1=[RIGHT, RIGHT])


def test_repeats_average_in_a_case_and_cases_in_a_group() -> None:
    """Group a: ((.68 - .36) + 0) / 2 = .16; group b: 1 - .34 = .66; groups weigh equally: .41."""
    comparison = compared(BEFORE, AFTER)
    assert comparison.deltas == {"a": 0.16, "b": 0.66}
    assert comparison.interval.mean == 0.41
    assert comparison.interval.level == 0.975


def test_without_failures_all_three_intervals_are_one() -> None:
    """Nothing is imputed where nothing is missing."""
    comparison = compared(BEFORE, AFTER)
    assert comparison.worst == comparison.interval == comparison.best
    assert comparison.failures == 0


def test_a_missing_session_is_left_out_and_imputed_both_ways() -> None:
    """b1's candidate has one session: observed 1, worst (1 + 0) / 2, best (1 + 1) / 2, each less .34."""
    comparison = compared(BEFORE, [card for card in AFTER if (card.case_id, card.session) != ("b1", "s1")])
    assert comparison.failures == 1
    assert comparison.deltas["b"] == 0.66
    assert comparison.worst.mean == pytest.approx((0.16 + 0.16) / 2)
    assert comparison.best.mean == pytest.approx((0.16 + 0.66) / 2)


def test_a_missing_baseline_is_imputed_against_the_candidate() -> None:
    """b1 has no baseline at all: its group is absent, worst 1 - 1 = 0, best 1 - 0 = 1."""
    comparison = compared([card for card in BEFORE if card.case_id != "b1"], AFTER)
    assert sorted(comparison.deltas) == ["a"]
    assert (comparison.failures, comparison.worst.mean, comparison.best.mean) == (2, 0.08, 0.58)


def test_a_typed_failure_is_counted_once() -> None:
    """A failure record and the hole that it leaves are one failure."""
    gone = Failure(
        case_id="b1", group="b", split="holdout", session="s1", arm="candidate", kind="provider", detail="timeout"
    )
    present = tuple(card for card in (*BEFORE, *AFTER) if (card.case_id, card.session, card.arm) != _seat(gone))
    marks = Marks(scorecards=present, failures=(gone,))
    assert compare(marks, GROUPS, list(GROUPS), sessions=2, alpha=0.05, looks=1).failures == 1


def _seat(failure: Failure) -> tuple[str, str, str]:
    return failure.case_id, failure.session, failure.arm


def test_components_are_compared_one_by_one() -> None:
    """independent_tests: a (.5 + 0) / 2 = .25 and b 1; mean .625. public_tests falls nowhere and rises in a."""
    comparison = compared(BEFORE, AFTER)
    assert comparison.components["independent_tests"].mean == 0.625
    assert comparison.components["no_regression"].mean == 0.0


def test_a_hard_regression_is_reliable_on_both_sides() -> None:
    """a1 passes always and then never; a2 only sometimes before; b1 sometimes after."""
    before = cards("baseline", a1=[RIGHT, RIGHT], a2=[RIGHT, WRONG], b1=[RIGHT, RIGHT])
    after = cards("candidate", a1=[WRONG, REJECTION], a2=[WRONG, WRONG], b1=[WRONG, RIGHT])
    assert hard_regressions(Marks(scorecards=(*before, *after)), list(GROUPS)) == ("a1",)
    assert [(found.case_id, found.confirmed) for found in compared(before, after, confirmed=("a1",)).regressions] == [
        ("a1", True)
    ]


def test_both_one_sided_ps_are_told() -> None:
    """Two gains: better 1/4, worse 1."""
    comparison = compared(BEFORE, AFTER)
    assert (comparison.p_sign_flip, comparison.p_sign_flip_worse) == (0.25, 1.0)


def test_a_doubled_scorecard_is_refused() -> None:
    """One session cannot count twice."""
    with pytest.raises(Damaged, match=r"two scorecards for \('a1', 's0', 'baseline'\)"):
        compared(BEFORE, BEFORE[:1], AFTER)


def test_a_scorecard_of_an_unknown_case_is_refused() -> None:
    """A case outside the split does not slip into its mean."""
    with pytest.raises(Damaged, match="unknown case 'z'"):
        compared(BEFORE, [synthetic_card("z", "z", "s0", "candidate", RIGHT)])


def test_scores_of_two_metrics_are_not_compared() -> None:
    """A changed metric makes scores incomparable."""
    with pytest.raises(Damaged, match="metrics"):
        compared(BEFORE, [card.model_copy(update={"metric": "repair/2"}) for card in AFTER])


def test_no_scorecards_at_all_bound_nothing() -> None:
    """Everything failed: an interval over the whole scale and a count."""
    comparison = compared()
    assert (comparison.interval.low, comparison.interval.high, comparison.failures) == (-1.0, 1.0, 12)
    assert comparison.minimum_detectable_effect == 1.0
