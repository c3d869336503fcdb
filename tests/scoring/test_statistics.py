"""The paired comparison, by hand."""

from itertools import product

import pytest
from statsmodels.stats.multitest import multipletests

from tasks.records.errors import Damaged
from tasks.records.scorecard import Failure, Marks, Scorecard
from tasks.records.verdict import Comparison
from tasks.scoring.rules_controls import REJECTION, RIGHT, WRONG, synthetic_card
from tasks.scoring.statistics import compare, hard_regressions, reruns_needed

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


SOLO = {f"c{number}": f"g{number}" for number in range(10)}


def solo(before: list[dict[str, float]], after: list[dict[str, float]], sessions: int = 2) -> Comparison:
    """Ten single-case groups; every session of a case repeats its answer."""
    made = [
        synthetic_card(case, SOLO[case], f"s{session}", arm, values)  # type: ignore[arg-type]
        for arm, answers in (("baseline", before), ("candidate", after))
        for case, values in zip(SOLO, answers, strict=True)
        for session in range(sessions)
    ]
    return compare(Marks(scorecards=tuple(made)), SOLO, list(SOLO), sessions=sessions, alpha=0.05, looks=1)


def test_every_interval_says_what_it_stands_on() -> None:
    """Three cases in two groups, two sessions; where b1 has no baseline, two cases in one group were observed."""
    whole = compared(BEFORE, AFTER)
    for interval in (whole.interval, whole.worst, whole.components["parses"]):
        assert (interval.cases, interval.groups, interval.sessions) == (3, 2, 2)
    holed = compared([card for card in BEFORE if card.case_id != "b1"], AFTER)
    assert (holed.interval.cases, holed.interval.groups, holed.worst.cases) == (2, 1, 3)


def test_a_component_that_falls_under_a_rising_total_is_named() -> None:
    """Scope is broken in all ten groups: p 2/1024, times seven or eight still below .05; independent tests rise."""
    untidy = RIGHT | {"scope_ok": 0.0}
    comparison = solo([REJECTION] * 10, [untidy] * 10)
    assert comparison.interval.mean > 0
    assert comparison.regressed_components == ("scope_ok",)
    tests = {test.name: test for test in comparison.component_tests}
    assert tests["scope_ok"].p == 2 / 1024
    assert tests["independent_tests"].change == "better"
    assert tests["parses"].p_holm == 1.0


def test_the_adjusted_ps_are_statsmodels_and_weightless_components_stay_out() -> None:
    """multipletests over the eight components with weight."""
    comparison = solo([REJECTION] * 5 + [RIGHT] * 5, [RIGHT] * 7 + [WRONG] * 3)
    tests = comparison.component_tests
    expected = multipletests([test.p for test in tests], method="holm")[1]
    assert list(expected) == pytest.approx([test.p_holm for test in tests])
    assert len(tests) == 8
    assert "similarity" not in {test.name for test in tests}


def test_mcnemar_counts_cases_that_pass_more_often_than_not() -> None:
    """Seven gained, one lost, two as they were: the published mid-p of 7 against 1."""
    found = solo([REJECTION] * 7 + [RIGHT] + [RIGHT] * 2, [RIGHT] * 7 + [WRONG] + [RIGHT] * 2).mcnemar
    assert found is not None
    assert (found.gained, found.lost, found.cases, round(found.p_mid, 3)) == (7, 1, 10, 0.039)


def test_mcnemar_keeps_silent_where_cases_share_a_group() -> None:
    """a1 and a2 are no independent pairs."""
    assert compared(BEFORE, AFTER).mcnemar is None


def test_variance_that_was_not_seen_is_flagged() -> None:
    """Ten equal gains of .64 from deterministic replies: both cautions."""
    first, second = solo([REJECTION] * 10, [RIGHT] * 10).statements
    assert "All 10 groups differ by the same +0.640" in first
    assert "All 2 sessions of each case scored alike" in second


def test_seen_variance_needs_no_caution() -> None:
    """Groups differ, and so do sessions; one session a case says nothing either way."""
    assert compared(BEFORE, AFTER).statements == ()
    assert solo([REJECTION] * 10, [RIGHT] * 9 + [WRONG], sessions=1).statements == ()


def test_imputed_ps_are_those_of_the_worst_case() -> None:
    """Eight gains give 1/256; two failed candidates lose their baseline's .36, and 12 of 1024 flips reach that."""
    marks = Marks(
        scorecards=tuple(
            synthetic_card(case, SOLO[case], "s0", arm, values)  # type: ignore[arg-type]
            for arm, values in (("baseline", REJECTION), ("candidate", RIGHT))
            for case in SOLO
            if arm == "baseline" or case not in {"c8", "c9"}
        )
    )
    comparison = compare(marks, SOLO, list(SOLO), sessions=1, alpha=0.05, looks=1)
    assert comparison.p_sign_flip == 1 / 256
    worst = [0.64] * 8 + [-0.36] * 2
    expected = sum(sum(flip) >= sum(worst) - 1e-9 for flip in product(*((gain, -gain) for gain in worst))) / 1024
    assert expected == 12 / 1024
    assert expected == comparison.p_sign_flip_imputed
    assert comparison.p_sign_flip_worse_imputed == 1.0


@pytest.mark.parametrize(("cases", "sessions", "expected"), [(8, 3, 2), (24, 3, 3), (24, 7, 1), (100, 3, 4), (1, 3, 1)])
def test_reruns_keep_coin_flips_from_looking_like_regressions(cases: int, sessions: int, expected: int) -> None:
    """The fewest r with cases / 4**(sessions + r) at most .008, and never none."""
    assert expected == reruns_needed(cases, sessions)
    assert cases / 4 ** (sessions + expected) <= 0.008
    assert expected == 1 or cases / 4 ** (sessions + expected - 1) > 0.008


def test_a_noisier_sample_than_assumed_sees_less() -> None:
    """Half of the groups gain all, half lose all: twice the assumed spread raises what can be seen in proportion."""
    quiet = solo([REJECTION] * 10, [REJECTION] * 10).minimum_detectable_effect
    noisy = solo([REJECTION] * 5 + [RIGHT] * 5, [RIGHT] * 5 + [REJECTION] * 5)
    spread = 0.64 * (10 / 9) ** 0.5
    assert quiet * spread / 0.32 == pytest.approx(noisy.minimum_detectable_effect, abs=1e-3)
    assert noisy.groups_needed is None
