"""Holdout: interleaving, the one look, and what a rerun settles."""

import pytest

from tasks import holdout
from tasks.records.candidate import Discovery, Search
from tasks.records.errors import LookRefused, Refusal
from tasks.records.scorecard import Failure, Marks
from tasks.records.stages import Audited, Optimized
from tasks.records.verdict import Audit, Check, Interval
from tasks.scoring.rules_controls import RIGHT, WRONG, synthetic_card
from tasks.trials.session import Pass
from tests.small import small_corpus, small_laboratory

CASE = "invoice-quantity"


@pytest.fixture
def lab(tmp_path):
    return small_laboratory(tmp_path, small_corpus())


def audited_of(lab, *, passed, demo="x"):
    seed = lab.manifest.program_version.candidate
    candidate = seed.model_copy(update={"instructions": {**seed.instructions, "patch": demo}})
    check = Check(name="canary_absent", passed=passed, detail="")
    audit = Audit(manifest=lab.manifest.fingerprint, candidate=candidate.fingerprint, checks=(check,))
    return Audited(manifest=lab.manifest.fingerprint, optimized="o", candidate=candidate, audit=audit)


def test_a_broken_audit_keeps_the_holdout_closed(lab):
    """No look is spent on a candidate whose evidence is not intact."""
    with pytest.raises(Refusal, match="closed to a candidate whose audit is not intact"):
        holdout.holdout(lab, audited_of(lab, passed=False))


def test_a_look_beyond_the_declared_ones_is_refused(lab, monkeypatch):
    """The corpus declares two looks; a third candidate gets none, and the second one again is the same look."""

    def stop(*arguments):
        raise InterruptedError

    monkeypatch.setattr(holdout, "attempts_on", stop)
    for demo in ("first", "second", "second"):
        with pytest.raises(InterruptedError):
            holdout.holdout(lab, audited_of(lab, passed=True, demo=demo))
    with pytest.raises(LookRefused, match="look 3 at holdout"):
        holdout.holdout(lab, audited_of(lab, passed=True, demo="third"))


def test_both_arms_meet_each_case_in_turn(lab):
    """Neighbouring jobs are the two arms of one case in one session; who goes first alternates."""
    seed = lab.manifest.program_version.candidate
    jobs = holdout.interleaved(lab, (seed, audited_of(lab, passed=True).candidate))
    assert [(job.session, job.case_id, job.arm) for job in jobs] == [
        ("holdout-0", CASE, "baseline"),
        ("holdout-0", CASE, "candidate"),
        ("holdout-1", CASE, "candidate"),
        ("holdout-1", CASE, "baseline"),
        ("holdout-2", CASE, "baseline"),
        ("holdout-2", CASE, "candidate"),
    ]


def test_the_selection_is_read_from_the_recorded_search(lab):
    """Dev .3 to .7 for the only candidate, .1 on the holdout: gap .3; one dev group of sd .32 shrinks .4 by .64."""
    seed = lab.manifest.program_version.candidate
    better = audited_of(lab, passed=True).candidate
    discoveries = (
        Discovery(candidate=seed, dev_score=0.3, metric_calls=1, parent=None),
        Discovery(candidate=better, dev_score=0.7, metric_calls=9, parent=seed.fingerprint),
    )
    found = Search(optimizer="gepa", discoveries=discoveries, proposals=4, metric_calls=20, best=1)
    done = Optimized(manifest="m", baseline="b", search=found, candidate=better, attempts=(), log="l")
    audited = audited_of(lab, passed=True).model_copy(update={"optimized": lab.store.put(done)})
    made = holdout.selected(lab, audited, Interval(mean=0.1, low=-0.1, high=0.3, level=0.95))
    assert (made.proposals, made.compared_on_dev, made.gap) == (4, 1, 0.3)
    assert made.shrunken_gain == pytest.approx(0.4 * (1 - 0.32**2 / len(lab.manifest.dev_ids) / 0.4**2))


def marks_of(baseline, candidate, failures=0):
    cards = [
        synthetic_card(CASE, "atelier", f"rerun-{session}", arm, values)
        for session in range(2)
        for arm, values in (("baseline", baseline), ("candidate", candidate))
    ]
    failure = Failure(
        case_id=CASE, group="atelier", split="holdout", session="rerun-0", arm="candidate", kind="sandbox", detail="x"
    )
    return Marks(scorecards=tuple(cards), failures=(failure,) * failures)


@pytest.mark.parametrize(
    ("marks", "confirmed", "unresolved"),
    [
        (marks_of(RIGHT, WRONG), {CASE}, set()),
        (marks_of(RIGHT, RIGHT), set(), set()),
        (marks_of(RIGHT, WRONG, failures=1), set(), {CASE}),
    ],
    ids=["again", "not again", "no score"],
)
def test_a_suspected_regression_is_confirmed_cleared_or_left_open(lab, monkeypatch, marks, confirmed, unresolved):
    """A rerun that brought no score clears nothing: it is left open, and its failure counts."""
    seen = []
    monkeypatch.setattr(holdout, "attempts_on", lambda *arguments: Pass(attempts=(), failures=()))
    monkeypatch.setattr(holdout, "graded", lambda *arguments: (seen.append(arguments[1]), (marks, ()))[1])
    seed = lab.manifest.program_version.candidate
    got_confirmed, got_unresolved, again = holdout.rerun(lab, (seed, seed), (CASE,))
    assert (got_confirmed, got_unresolved, len(again.failures)) == (confirmed, unresolved, len(marks.failures))
    assert seen[0]._scope["stage"] == "rerun"  # graded afresh, not recalled from the holdout
