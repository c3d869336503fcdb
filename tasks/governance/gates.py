"""Gates: the conditions of promotion, each a sentence with figures, and a remedy where it is shut.

Takes    a Comparison, the declared Policy, the Circumstances under which the evidence was made.
Gives    Gates in the order in which a reader asks; promotion needs every one of them open.
Refuses  nothing.
Source   DESIGN.md, "Statistics and policy".
"""

from dataclasses import dataclass

from tasks.governance.circumstances import Circumstances
from tasks.governance.remedies import to_settle
from tasks.governance.wording import counted, shown
from tasks.records.spec import Policy
from tasks.records.verdict import Comparison

FEWEST_GROUPS = 6  # at five the smallest one-sided p is 1/32 = .031
TWIN_BITS = 20.0


@dataclass(frozen=True)
class Gate:
    """One condition of promotion: whether it is open, why, and what would open it."""

    open: bool
    reason: str
    remedy: str


def one_sided(policy: Policy, given: Circumstances) -> float:
    """The one-sided threshold of the sign-flip test: alpha / (2 * looks)."""
    return policy.alpha / (2 * given.looks)


def promotion_gates(comparison: Comparison, policy: Policy, given: Circumstances) -> tuple[Gate, ...]:
    """Every condition of promotion beyond an intact audit, in the order in which a reader asks."""
    return (
        *_statistical_gates(comparison, policy, given),
        *_imputation_gates(comparison, policy),
        *component_gates(comparison, policy, given),
        *standing_gates(comparison, policy, given),
    )


def standing_gates(comparison: Comparison, policy: Policy, given: Circumstances) -> tuple[Gate, ...]:
    """What every rule asks, whatever it makes of scores: no hard regression, tests kept apart, a sandbox."""
    return (
        _regressions_gate(comparison),
        _grading_gate(policy, given),
        Gate(
            given.sandbox_tier not in ("", "none"),
            f"Foreign code ran in sandbox tier {given.sandbox_tier!r}.",
            "A run on a machine that offers an enforced sandbox.",
        ),
    )


def component_gates(comparison: Comparison, policy: Policy, given: Circumstances) -> tuple[Gate, ...]:
    """One gate a component that is worse by itself; it is shut where the policy lets such a component bar."""
    return tuple(
        Gate(
            policy.component_regressions == "tell",
            f"Component {name!r} is worse by itself, {shown(comparison.components[name])}, which the total hides.",
            f"A candidate that keeps {name!r}, or a policy that declares beforehand that it may be given up.",
        )
        for name in given.regressed
    )


def _statistical_gates(comparison: Comparison, policy: Policy, given: Circumstances) -> tuple[Gate, ...]:
    groups, bar, least = len(comparison.deltas), one_sided(policy, given), max(0.0, policy.minimum_effect)
    more = to_settle(comparison, given)
    open_interval = comparison.interval.low > least
    return (
        Gate(
            groups >= FEWEST_GROUPS,
            f"{groups} holdout groups were compared, at least {FEWEST_GROUPS} are needed.",
            f"At least {counted(FEWEST_GROUPS - groups, 'further holdout group')}.",
        ),
        Gate(
            open_interval,
            f"The mean difference {shown(comparison.interval)} {'lies' if open_interval else 'does not lie'} wholly "
            f"above {least:.3f}; this design sees effects from {comparison.minimum_detectable_effect:.3f}.",
            more,
        ),
        Gate(
            comparison.p_sign_flip <= bar,
            f"The exact one-sided sign-flip p over {groups} groups is {comparison.p_sign_flip:.4f}, "
            f"at most {bar:.4f} is needed ({policy.alpha:g} two-sided over {given.looks} looks).",
            more,
        ),
    )


def _imputation_gates(comparison: Comparison, policy: Policy) -> tuple[Gate, ...]:
    failures, least = comparison.failures, max(0.0, policy.minimum_effect)
    if not failures and comparison.worst == comparison.interval == comparison.best:
        return ()
    rerun = f"A scored session in place of each that failed ({failures})."
    return (
        Gate(
            failures <= policy.max_failures,
            f"{failures} sessions have no score, at most {policy.max_failures} may.",
            rerun,
        ),
        Gate(
            min(comparison.worst.low, comparison.best.low) > least,
            f"With failures counted against the candidate the difference is {shown(comparison.worst)}, "
            f"with failures counted for it {shown(comparison.best)}; both must lie above {least:.3f}.",
            rerun,
        ),
    )


def _regressions_gate(comparison: Comparison) -> Gate:
    confirmed = sum(regression.confirmed for regression in comparison.regressions)
    open_ = sum(not regression.resolved for regression in comparison.regressions)
    unsettled = f", {open_} could not be rerun" if open_ else ""
    return Gate(
        confirmed == 0 and open_ == 0,
        f"{len(comparison.regressions)} hard regressions were seen, {confirmed} of them again in fresh sessions"
        f"{unsettled}.",
        "A scored rerun of each suspected regression." if open_ else "A candidate without the confirmed regressions.",
    )


def _grading_gate(policy: Policy, given: Circumstances) -> Gate:
    enough = given.grading_tier != "twinned" or (given.twin_bits or 0.0) >= TWIN_BITS
    bits = "" if given.grading_tier != "twinned" else f" with {given.twin_bits or 0:g} bits (at least {TWIN_BITS:g})"
    return Gate(
        given.grading_tier in policy.grading_tiers and enough,
        f"Grading tier is {given.grading_tier!r}{bits}; the policy promotes on {', '.join(policy.grading_tiers)}.",
        f"Regrading under {' or '.join(policy.grading_tiers)}, with more twins where it is twinned.",
    )
