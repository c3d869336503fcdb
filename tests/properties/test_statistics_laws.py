"""Laws of the comparison and of the decision rule."""

from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st

from tasks.governance.circumstances import Circumstances
from tasks.governance.policy import decide
from tasks.records.scorecard import Marks, Scorecard
from tasks.records.spec import Policy
from tasks.records.verdict import Audit, Check, Comparison, Regression
from tasks.scoring.inference import cluster_interval, sign_flip_p
from tasks.scoring.power import minimum_detectable_effect
from tasks.scoring.rules_controls import REJECTION, RIGHT, WRONG, rule_controls, synthetic_card
from tasks.scoring.statistics import compare

POLICY = Policy()
GIVEN = Circumstances(looks=2, grading_tier="separate", sandbox_tier="bubblewrap", evidence_class="fixture")
INTACT = Audit(manifest="m", candidate="c", checks=(Check(name="hash", passed=True, detail="same"),))
CASES = [f"c{i}" for i in range(8)]
GROUPS = {case: f"g{i}" for i, case in enumerate(CASES)}
ORDER = {"REJECT": 0, "INSUFFICIENT": 1, "PROMOTE": 2}
MARKS = st.lists(st.sampled_from([REJECTION, WRONG, RIGHT]), min_size=16, max_size=16)
DELTAS = st.lists(st.integers(-100, 100).map(lambda n: n / 100), min_size=1, max_size=8)


def cards(arm: str, answers: list[dict[str, float]]) -> list[Scorecard]:
    """Two sessions of eight cases, each its own group."""
    seats = [(case, session) for case in CASES for session in ("s0", "s1")]
    return [
        synthetic_card(case, GROUPS[case], session, arm, values)  # type: ignore[arg-type]
        for (case, session), values in zip(seats, answers, strict=True)
    ]


def compared(made: list[Scorecard]) -> Comparison:
    return compare(Marks(scorecards=tuple(made)), GROUPS, CASES, sessions=2, alpha=0.05, looks=2, minimum_effect=0.05)


def verdict(made: list[Scorecard]) -> str:
    return decide(compared(made), INTACT, POLICY, GIVEN).verdict


@given(DELTAS)
def test_the_sign_flip_p_is_the_share_of_flips(deltas: list[float]) -> None:
    """Counted one flip after another, in whole hundredths."""
    units = [round(delta * 100) for delta in deltas]
    flips = [sum(s * u for s, u in zip(signs, units, strict=True)) for signs in product((1, -1), repeat=len(units))]
    expected = sum(flip >= sum(units) for flip in flips) / len(flips)
    assert expected == sign_flip_p(deltas)


@given(DELTAS, st.data())
def test_raising_a_delta_never_raises_the_p(deltas: list[float], data: st.DataObject) -> None:
    """A better candidate is never less significant."""
    place = data.draw(st.integers(0, len(deltas) - 1))
    raised = [delta + 0.25 * (spot == place) for spot, delta in enumerate(deltas)]
    assert sign_flip_p(raised) <= sign_flip_p(deltas)


@given(DELTAS)
def test_the_interval_holds_its_mean_and_mirrors(deltas: list[float]) -> None:
    """low <= mean <= high, and swapping the arms swaps and negates the ends."""
    there, back = cluster_interval(deltas, 0.95), cluster_interval([-delta for delta in deltas], 0.95)
    assert there.low <= there.mean <= there.high
    assert (there.low, there.high) == (-back.high, -back.low)


@given(MARKS, MARKS, st.randoms())
def test_the_order_of_scorecards_changes_nothing(
    before: list[dict[str, float]], after: list[dict[str, float]], chance: object
) -> None:
    """Interleaving is for the clock, not for the result."""
    made = cards("baseline", before) + cards("candidate", after)
    shuffled = made.copy()
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert compared(made).fingerprint == compared(shuffled).fingerprint


@given(MARKS)
def test_a_program_against_itself_is_insufficient(marks: list[dict[str, float]]) -> None:
    """A/A is neither promoted nor rejected."""
    assert verdict(cards("baseline", marks) + cards("candidate", marks)) == "INSUFFICIENT"


@given(MARKS, MARKS, st.sets(st.integers(0, 31), max_size=4))
def test_a_missing_session_never_turns_a_verdict_into_another_side(
    before: list[dict[str, float]], after: list[dict[str, float]], gone: set[int]
) -> None:
    """Failures push toward INSUFFICIENT: no promotion with any, and never from REJECT to PROMOTE or back."""
    assume(gone)
    made = cards("baseline", before) + cards("candidate", after)
    kept = [card for place, card in enumerate(made) if place not in gone]
    assert verdict(kept) != "PROMOTE"
    assert {verdict(made), verdict(kept)} != {"PROMOTE", "REJECT"}


@given(MARKS, MARKS)
def test_imputations_bound_the_observed_mean(before: list[dict[str, float]], after: list[dict[str, float]]) -> None:
    """worst <= best, with a session of each arm missing."""
    made = compared(cards("baseline", before)[1:] + cards("candidate", after)[:-1])
    assert made.worst.mean <= made.best.mean
    assert made.failures == 2


@given(MARKS, MARKS, st.integers(0, 15))
def test_adding_a_regression_never_makes_a_gain_more_significant(
    before: list[dict[str, float]], after: list[dict[str, float]], place: int
) -> None:
    """One candidate session made wrong: mean and sign-flip p move against the candidate, or stay.

    The t interval alone has no such law: an outlier that comes down can narrow it. Hence two tests that must agree.
    """
    worse = [WRONG if spot == place else values for spot, values in enumerate(after)]
    base = cards("baseline", before)
    then, now = (compared(base + cards("candidate", answers)) for answers in (after, worse))
    assert now.interval.mean <= then.interval.mean
    assert now.p_sign_flip >= then.p_sign_flip


@given(MARKS, MARKS, st.sampled_from(CASES))
def test_adding_a_confirmed_regression_never_improves_a_verdict(
    before: list[dict[str, float]], after: list[dict[str, float]], case_id: str
) -> None:
    """Verdicts are ordered REJECT, INSUFFICIENT, PROMOTE."""
    made = compared(cards("baseline", before) + cards("candidate", after))
    found = (*made.regressions, Regression(case_id=case_id, confirmed=True))
    worse = made.model_copy(update={"regressions": found})
    verdicts = [decide(one, INTACT, POLICY, GIVEN).verdict for one in (made, worse)]
    assert ORDER[verdicts[1]] <= ORDER[verdicts[0]]


@given(st.integers(6, 60), st.floats(0.01, 0.5), st.sampled_from([1, 2, 4]))
def test_more_groups_and_fewer_looks_never_see_less(groups: int, sd: float, looks: int) -> None:
    """The detectable effect falls with groups and rises with looks."""
    now = minimum_detectable_effect(groups, sd, alpha=0.05, looks=looks)
    assert minimum_detectable_effect(groups + 1, sd, alpha=0.05, looks=looks) <= now
    assert minimum_detectable_effect(groups, sd, alpha=0.05, looks=looks + 1) >= now


@given(st.integers(7, 12), st.integers(1, 4))
def test_the_decision_rule_passes_its_own_controls(groups: int, sessions: int) -> None:
    """Known-better, identical and known-worse go to PROMOTE, INSUFFICIENT and REJECT over two looks."""
    for control in rule_controls(groups, sessions):
        made = compare(
            control.marks, control.groups, list(control.groups), sessions=control.sessions, alpha=0.05, looks=2
        )
        assert control.expected == decide(made, INTACT, POLICY, GIVEN).verdict
