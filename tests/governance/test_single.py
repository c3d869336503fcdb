"""The rule for one patch: development validation passed, independent evaluation 1.0, no hard regression."""

from dataclasses import replace
from typing import Any

import pytest

from tasks.governance.circumstances import Circumstances
from tasks.governance.single import PatchEvidence, decide_single
from tasks.records.spec import Policy
from tasks.records.verdict import Audit, Check, Comparison, Decision, Interval, Regression

POLICY = Policy(preset="single", rule="single", component_regressions="tell")
GIVEN = Circumstances(looks=1, grading_tier="separate", sandbox_tier="bubblewrap", evidence_class="model")
RIGHT = PatchEvidence(attempts=1, validated=1, independent=(1.0,), failures=0)
NOTHING_BOUND = Interval(mean=0.6, low=-1, high=1, level=0.95)


def decided(
    patch: PatchEvidence = RIGHT, *, passed: bool = True, regressions: tuple[Regression, ...] = (), **given: Any
) -> Decision:
    made = Comparison(
        deltas={"g": 0.6}, interval=NOTHING_BOUND, p_sign_flip=0.5, worst=NOTHING_BOUND, best=NOTHING_BOUND,
        minimum_detectable_effect=1.0, components={}, regressions=regressions, failures=patch.failures,
    )  # fmt: skip
    audit = Audit(manifest="m", candidate="c", checks=(Check(name="canary_absent", passed=passed, detail="found"),))
    return decide_single(patch, made, audit, POLICY, replace(GIVEN, **given))


def test_a_patch_that_passes_everything_is_promoted() -> None:
    """One case and one session: no interval is asked for."""
    assert decided().verdict == "PROMOTE"


@pytest.mark.parametrize(
    ("changed", "given", "said"),
    [
        ({"validated": 0}, {}, "0 of 1 attempt passed development validation"),
        ({"independent": (0.99,)}, {}, "0 of 1 attempt scored 1.0"),
        ({"attempts": 2, "validated": 2}, {}, "1 of 2 attempts scored 1.0"),
        ({"attempts": 0, "validated": 0, "independent": ()}, {}, "0 of 0 attempts"),
        ({"failures": 1}, {}, "1 session without a score"),
        ({}, {"grading_tier": "in-process"}, "Grading tier is 'in-process'"),
        ({}, {"sandbox_tier": "none"}, "sandbox tier 'none'"),
    ],
)
def test_anything_less_is_insufficient(changed: dict[str, Any], given: dict[str, Any], said: str) -> None:
    """Each condition alone, by name and with what would change it."""
    decision = decided(replace(RIGHT, **changed), **given)
    assert decision.verdict == "INSUFFICIENT"
    assert any(said in reason for reason in decision.reasons)
    assert decision.would_change


def test_a_confirmed_hard_regression_rejects() -> None:
    """However right the patch is elsewhere."""
    assert decided(regressions=(Regression(case_id="x", confirmed=True),)).verdict == "REJECT"


def test_a_broken_audit_rejects() -> None:
    """Quality does not matter then."""
    assert decided(passed=False).verdict == "REJECT"
