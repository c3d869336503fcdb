"""Tables and metrics: scorecards as rows and as numbers with names."""

import subprocess
import sys

import pytest

from tasks.evidence.metrics import comparison_scores, mean_scores
from tasks.evidence.tables import (
    FAILURE_COLUMNS,
    PAIRED_COLUMNS,
    SCORE_COLUMNS,
    case_rows,
    failures_frame,
    paired_frame,
    scorecards_frame,
)
from tasks.records.scorecard import Component, Failure, Marks, Scorecard
from tasks.records.verdict import Comparison, Interval, Regression


def card(case_id, session, public, independent, arm="baseline"):
    """A card of two components that weigh 0.25 and 0.75."""
    components = (
        Component(name="public_tests", value=public, weight=0.25, reason="2 of 2"),
        Component(name="independent_tests", value=independent, weight=0.75, reason="why"),
    )
    return Scorecard(
        case_id=case_id, group="g", split="dev", session=session, arm=arm, metric="repair/1", attempt="0",
        components=components, total=0.25 * public + 0.75 * independent,
    )  # fmt: skip


LOST = Failure(case_id="b", group="g", split="dev", session="s1", arm="baseline", kind="sandbox", detail="it died")
MARKS = Marks(scorecards=(card("a", "s0", 1, 1), card("a", "s1", 1, 0), card("b", "s0", 0, 0)), failures=(LOST,))


def test_a_scorecard_is_one_row_a_component_and_a_total():
    """The rows are written out by hand."""
    rows = scorecards_frame(Marks(scorecards=(card("a", "s1", 1, 0),))).to_numpy().tolist()
    place = ["a", "g", "dev", "s1", "baseline"]
    assert rows == [
        [*place, "public_tests", 1.0, 0.25, "2 of 2"],
        [*place, "independent_tests", 0.0, 0.75, "why"],
        [*place, "total", 0.25, 1.0, "weighted sum under repair/1"],
    ]


def test_marks_of_several_passes_stack():
    """One frame for a whole experiment."""
    assert len(scorecards_frame(MARKS, MARKS)) == 2 * 3 * 3


def test_a_failure_is_in_its_own_frame_only():
    """It has no score, so it is no row among scores."""
    assert failures_frame(MARKS).to_numpy().tolist() == [["b", "g", "dev", "s1", "baseline", "sandbox", "it died"]]


@pytest.mark.parametrize(("frame", "columns"), [(scorecards_frame, SCORE_COLUMNS), (failures_frame, FAILURE_COLUMNS)])
def test_nothing_is_an_empty_frame_with_its_columns(frame, columns):
    """A table without rows is still that table."""
    assert (tuple(frame().columns), len(frame())) == (columns, 0)


def test_repeats_are_averaged_inside_a_case_first():
    """Case a: totals 1 and 0.25, mean 0.625; case b: 0; so 0.3125, and not the mean 0.41666 of three cards."""
    means = mean_scores("baseline", "dev", MARKS)
    assert means == {
        "baseline/dev/score": 0.3125,
        "baseline/dev/public_tests": 0.5,
        "baseline/dev/independent_tests": 0.25,
        "baseline/dev/failures": 1.0,
    }


def test_an_arm_without_cards_has_no_score():
    """No score is no zero."""
    assert mean_scores("candidate", "dev", MARKS) == {"candidate/dev/failures": 0.0}


def test_a_comparison_has_a_mean_and_both_ends():
    """Names as they stand side by side on MLflow's page."""
    interval = Interval(mean=0.2, low=0.1, high=0.3, level=0.95)
    comparison = Comparison(
        deltas={}, interval=interval, p_sign_flip=0.03, worst=interval, best=interval, failures=0,
        minimum_detectable_effect=0.15, components={"public_tests": interval},
        regressions=(Regression(case_id="a", confirmed=True), Regression(case_id="b", confirmed=False)),
    )  # fmt: skip
    assert comparison_scores(comparison) == {
        "delta/holdout/score": 0.2,
        "delta/holdout/score_low": 0.1,
        "delta/holdout/score_high": 0.3,
        "delta/holdout/public_tests": 0.2,
        "delta/holdout/public_tests_low": 0.1,
        "delta/holdout/public_tests_high": 0.3,
        "delta/holdout/p_sign_flip": 0.03,
        "delta/holdout/minimum_detectable_effect": 0.15,
        "delta/holdout/confirmed_regressions": 1.0,
    }


def test_a_component_that_never_differs_has_no_difference_to_show():
    """Three zeros a component would only stand in the way; its means are there."""
    flat, real = (Interval(mean=mean, low=mean, high=mean, level=0.95) for mean in (0.0, 0.5))
    comparison = Comparison(
        deltas={}, interval=flat, p_sign_flip=1, worst=flat, best=flat, failures=0, minimum_detectable_effect=0,
        components={"parses": flat, "public_tests": real}, regressions=(),
    )  # fmt: skip
    deltas = {name for name in comparison_scores(comparison) if name.startswith("delta/holdout/")}
    assert {"delta/holdout/score", "delta/holdout/public_tests"} <= deltas
    assert [name for name in deltas if "parses" in name] == []


def test_means_are_rounded():
    """Three thirds make one: 0.2, 0.2 and 0.2 are 0.2 and not 0.20000000000000004."""
    cards = tuple(card("a", f"s{number}", 0.2, 0.2) for number in range(3))
    assert mean_scores("baseline", "dev", Marks(scorecards=cards))["baseline/dev/score"] == 0.2


def test_a_case_is_one_row_of_both_arms():
    """Case a: 0.625 before, 1 after; case b: 0 before and never scored after; case c: failed only."""
    after = card("a", "s0", 1, 1, arm="candidate")
    only = LOST.model_copy(update={"case_id": "c"})
    marks = Marks(scorecards=(*MARKS.scorecards, after), failures=(LOST, only))
    frame = paired_frame(marks)
    assert tuple(frame.columns) == PAIRED_COLUMNS
    assert frame.fillna(-1).to_numpy().tolist() == [
        ["a", "g", 0.625, 1.0, 0.375],
        ["b", "g", 0.0, -1, -1],
        ["c", "g", -1, -1, -1],
    ]


def test_a_case_tells_its_sessions_and_failures_beside_its_score():
    """A failure is counted and moves no mean."""
    assert case_rows(MARKS, "baseline") == [
        {"case": "a", "group": "g", "scored": 2, "failures": 0, "score": 0.625},
        {"case": "b", "group": "g", "scored": 1, "failures": 1, "score": 0.0},
    ]


def test_importing_the_room_loads_no_heavy_library():
    """`proveout --help` stays instant."""
    code = (
        "import sys, tasks.evidence.tracking, tasks.evidence.tables, tasks.evidence.store, tasks.evidence.looks\n"
        "print(sorted({'mlflow', 'pandas', 'psutil', 'sqlalchemy', 'prefect'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
