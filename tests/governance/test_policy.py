"""Each road to each verdict."""

from dataclasses import replace
from typing import Any

import pytest

from tasks.governance.circumstances import Circumstances
from tasks.governance.policy import decide, insufficient_without_look
from tasks.records.errors import Damaged
from tasks.records.spec import Policy
from tasks.records.verdict import Audit, Check, Comparison, Decision, Interval, Regression

POLICY = Policy(alpha=0.05, minimum_effect=0.05)
GIVEN = Circumstances(
    looks=2,
    grading_tier="separate",
    sandbox_tier="bubblewrap",
    evidence_class="model",
    cases=16,
    sessions=3,
    lm_calls_per_attempt=5,
    usd_per_call=0.01,
)
INTACT = Audit(manifest="m", candidate="c", checks=(Check(name="hash", passed=True, detail="as recorded"),))


def between(low: float, high: float, level: float = 0.975) -> Interval:
    return Interval(mean=(low + high) / 2, low=low, high=high, level=level)


def comparison(low: float = 0.2, high: float = 0.9, **changed: Any) -> Comparison:
    """Seven gains and a zero in eight groups: p = 2/256."""
    told: dict[str, Any] = {
        "deltas": {f"g{i}": 0.64 if i else 0.0 for i in range(8)},
        "interval": between(low, high),
        "p_sign_flip": 2 / 256,
        "worst": between(low, high),
        "best": between(low, high),
        "minimum_detectable_effect": 0.43,
        "groups_needed": 20,
        "components": {},
        "regressions": (),
        "failures": 0,
    }
    return Comparison(**(told | changed))


def decided(made: Comparison, audit: Audit = INTACT, policy: Policy = POLICY, **given: Any) -> Decision:
    return decide(made, audit, policy, replace(GIVEN, **given))


def test_seven_gains_and_a_zero_promote_over_two_looks() -> None:
    """2/256 = .0078 is below .05 / (2 * 2) = .0125."""
    decision = decided(comparison())
    assert decision.verdict == "PROMOTE"
    assert any("0.0078, at most 0.0125" in reason for reason in decision.reasons)
    assert decision.would_change == ()


def test_the_decision_is_bound_to_its_evidence() -> None:
    """Fingerprints of manifest, candidate, audit and comparison; the same evidence gives the same name."""
    made = comparison()
    decision = decided(made)
    expected = ("m", "c", INTACT.fingerprint, made.fingerprint)
    assert expected == (decision.manifest, decision.candidate, decision.audit, decision.comparison)
    assert decision.fingerprint == decided(made).fingerprint


@pytest.mark.parametrize(
    ("changed", "given", "words"),
    [
        ({"interval": between(0.04, 0.9), "worst": between(0.06, 0.9)}, {}, "does not lie wholly above 0.050"),
        ({"p_sign_flip": 0.0157}, {}, "is 0.0157, at most 0.0125"),
        ({"deltas": {f"g{i}": 0.6 for i in range(5)}}, {}, "5 holdout groups were compared, at least 6"),
        ({"failures": 1}, {}, "1 sessions have no score, at most 0"),
        ({"failures": 1, "worst": between(-0.1, 0.8)}, {}, "With failures counted against the candidate"),
        ({}, {"grading_tier": "in-process"}, "Grading tier is 'in-process'"),
        ({}, {"grading_tier": "twinned"}, "with 0 bits (at least 20)"),
        ({}, {"grading_tier": "twinned", "twin_bits": 19.9}, "with 19.9 bits (at least 20)"),
        ({}, {"sandbox_tier": "none"}, "sandbox tier 'none'"),
    ],
)
def test_one_shut_gate_is_insufficient(changed: dict[str, Any], given: dict[str, Any], words: str) -> None:
    """Each gate alone stops a promotion, says so with figures, and says what would change it."""
    decision = decided(comparison(**changed), **given)
    assert decision.verdict == "INSUFFICIENT"
    assert any(words in reason for reason in decision.reasons)
    assert decision.would_change


def test_twins_with_twenty_bits_may_promote() -> None:
    """The default policy admits twinned grading at 20 bits."""
    assert decided(comparison(), grading_tier="twinned", twin_bits=20.0).verdict == "PROMOTE"


def test_a_failure_that_the_policy_allows_does_not_stop_a_promotion() -> None:
    """One failure of at most one, and the worst case is still above."""
    policy = POLICY.model_copy(update={"max_failures": 1})
    made = comparison(failures=1, worst=between(0.1, 0.8), best=between(0.3, 0.95))
    assert decided(made, policy=policy).verdict == "PROMOTE"


def test_a_zero_minimum_effect_still_asks_for_more_than_nothing() -> None:
    """An interval that touches 0 is not above it."""
    policy = POLICY.model_copy(update={"minimum_effect": 0.0})
    assert decided(comparison(0.0, 0.9), policy=policy).verdict == "INSUFFICIENT"


def test_the_cost_of_more_evidence_is_told() -> None:
    """12 further groups of two cases over 3 sessions and both arms are 144 attempts, 720 calls, $7.20."""
    decision = decided(comparison(-0.1, 0.9))
    assert decision.would_change[0] == (
        "12 further holdout groups (24 cases) over 3 sessions, 20 groups in all, to find +0.400 with 80% power: "
        "144 further attempts, about 720 LM calls, $7.20."
    )


def test_further_sessions_are_told_where_they_are_cheaper() -> None:
    """Two further sessions of 16 cases and both arms are 64 attempts, fewer than the 144 of new groups."""
    decision = decided(comparison(-0.1, 0.9), sessions_needed=5)
    assert decision.would_change[0] == (
        "2 further sessions of the same 16 cases, 5 in all, to find +0.400 with 80% power: "
        "64 further attempts, about 320 LM calls, $3.20."
    )


def test_further_sessions_are_not_told_where_groups_are_cheaper() -> None:
    """One further group of two cases is 12 attempts; four further sessions are 128."""
    decision = decided(comparison(-0.1, 0.9, groups_needed=9), sessions_needed=7)
    assert decision.would_change[0].startswith("1 further holdout group (2 cases) over 3 sessions, 9 groups in all")


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    """Nobody knows what a model at an address of one's own costs; calls are still told."""
    assert "about 720 LM calls, price unknown" in decided(comparison(-0.1, 0.9), usd_per_call=None).would_change[0]


WORSE = {"components": {"no_regression": between(-0.3, -0.1)}}


def test_a_component_that_is_worse_by_itself_bars_a_promotion() -> None:
    """The total is better, the component is not: INSUFFICIENT, by name and with its figures."""
    decision = decided(comparison(**WORSE), regressed=("no_regression",))
    assert decision.verdict == "INSUFFICIENT"
    assert decision.reasons == (
        "Component 'no_regression' is worse by itself, -0.200 [-0.300, -0.100] at 97.5%, which the total hides.",
    )
    assert "'no_regression'" in decision.would_change[0]


def test_a_policy_may_let_a_component_only_be_told() -> None:
    """PROMOTE, and the reason stands among the others."""
    policy = POLICY.model_copy(update={"component_regressions": "tell"})
    decision = decided(comparison(**WORSE), policy=policy, regressed=("no_regression",))
    assert decision.verdict == "PROMOTE"
    assert any("'no_regression' is worse by itself" in reason for reason in decision.reasons)


def test_a_run_that_went_on_anyway_is_stamped() -> None:
    """What was said of the design stands in the decision, whatever the verdict."""
    decision = decided(comparison(), shortfall="the design cannot detect minimum_effect 0.05")
    assert (decision.verdict, decision.underpowered) == ("PROMOTE", True)
    assert decision.reasons[-1].startswith("Run anyway: the design cannot detect minimum_effect 0.05.")
    assert decided(comparison()).underpowered is False


def test_an_effect_that_is_none_asks_for_another_candidate() -> None:
    """No number of groups makes nothing significant."""
    decision = decided(comparison(-0.1, 0.1, groups_needed=None))
    assert decision.would_change[0].startswith("Another candidate")


def test_a_broken_audit_rejects_whatever_the_scores() -> None:
    """A better candidate with a failed check is rejected by name."""
    audit = Audit(manifest="m", candidate="c", checks=(Check(name="canary_absent", passed=False, detail="found"),))
    decision = decided(comparison(), audit=audit)
    assert decision.verdict == "REJECT"
    assert decision.reasons == ("The audit check 'canary_absent' failed: found.",)


def test_an_audit_of_nothing_rejects() -> None:
    """No check is no intact audit."""
    assert decided(comparison(), audit=Audit(manifest="m", candidate="c", checks=())).verdict == "REJECT"


@pytest.mark.parametrize(("confirmed", "expected"), [(True, "REJECT"), (False, "PROMOTE")])
def test_a_hard_regression_rejects_once_confirmed(confirmed: bool, expected: str) -> None:
    """Fresh sessions decide whether a regression is one."""
    made = comparison(regressions=(Regression(case_id="x", confirmed=confirmed),))
    assert expected == decided(made).verdict


def test_below_zero_by_both_tests_rejects() -> None:
    """High end below 0 and p for worse 1/256."""
    decision = decided(comparison(-0.9, -0.2, p_sign_flip=1.0, p_sign_flip_worse=1 / 256))
    assert decision.verdict == "REJECT"
    assert "0.0039 (at most 0.0125)" in decision.reasons[0]


@pytest.mark.parametrize(
    "changed",
    [
        {"p_sign_flip_worse": 0.02},
        {"best": between(-0.5, 0.1)},
        {"worst": between(-0.5, 0.0)},
        {"interval": between(-0.5, -0.04)},
    ],
)
def test_below_zero_by_one_test_only_is_insufficient(changed: dict[str, Any]) -> None:
    """Methods or imputations that disagree decide nothing, nor does a loss that may be smaller than what matters."""
    made = comparison(
        -0.9, -0.2, **({"p_sign_flip": 1.0, "p_sign_flip_worse": 1 / 256, "groups_needed": None} | changed)
    )
    assert decided(made).verdict == "INSUFFICIENT"


def test_a_comparison_at_another_level_is_damaged() -> None:
    """Somebody forgot the looks: .95 where .975 is due."""
    with pytest.raises(Damaged, match=r"0\.95, the policy asks for 0\.975"):
        decided(comparison(interval=between(0.2, 0.9, 0.95)))


def test_fixture_evidence_is_stamped() -> None:
    """Offline models show that the harness works, and the decision says so."""
    decision = decided(comparison(), evidence_class="fixture")
    assert decision.evidence_class == "fixture"
    assert "not that a model does" in decision.reasons[-1]


def test_no_accepted_candidate_spends_no_look() -> None:
    """INSUFFICIENT with the reason, no comparison and a remedy."""
    decision = insufficient_without_look(
        "No candidate was accepted.", manifest="m", candidate="c", evidence_class="model"
    )
    assert (decision.verdict, decision.comparison, decision.audit) == ("INSUFFICIENT", "", "")
    assert decision.reasons[0] == "No candidate was accepted."
    assert decision.would_change
