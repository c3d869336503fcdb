"""Policy: from a comparison and an audit to PROMOTE, REJECT or INSUFFICIENT. It activates nothing.

Takes    a Comparison, an Audit, the declared Policy, looks, and under which tiers the evidence was made.
Gives    a Decision whose reasons are sentences with figures; INSUFFICIENT says what would change it, at what cost.
Refuses  a comparison made at another level than the policy declares: Damaged.
Source   DESIGN.md, "Statistics and policy".

The order of the rules:
1. Whatever breaks the audit rejects; so does a hard regression that fresh sessions repeated.
2. Worse by more than the declared minimum effect by both tests, under every imputation of failures: REJECT. At zero
   instead, one pair in forty of identical noisy programs would be rejected; with the margin one in a thousand is.
3. Every gate of promotion open: PROMOTE. Any of them shut: INSUFFICIENT, and each shut gate is a reason.
"""

from tasks.governance.circumstances import Circumstances, EvidenceClass
from tasks.governance.gates import Gate, component_gates, one_sided, promotion_gates
from tasks.governance.wording import shown
from tasks.records.errors import Damaged
from tasks.records.spec import Policy
from tasks.records.verdict import Audit, Comparison, Decision, VerdictName


def decide(comparison: Comparison, audit: Audit, policy: Policy, given: Circumstances) -> Decision:
    """The recommendation at level 1 - alpha / looks; the same evidence always brings the same Decision.

    Raises Damaged when the comparison was made at another level.
    """
    level = 1 - policy.alpha / given.looks
    for interval in (comparison.interval, comparison.worst, comparison.best):
        if abs(interval.level - level) > 1e-9:
            raise Damaged(f"comparison at level {interval.level!r}, the policy asks for {level!r}")
    faults = broken(audit, comparison) or below_zero(comparison, policy, given)
    if faults:
        told = tuple(gate.reason for gate in component_gates(comparison, policy, given))
        return decision("REJECT", faults + told, (), comparison, audit, given)
    return by_gates(promotion_gates(comparison, policy, given), comparison, audit, given)


def by_gates(gates: tuple[Gate, ...], comparison: Comparison, audit: Audit, given: Circumstances) -> Decision:
    """PROMOTE where every gate is open, else INSUFFICIENT for each that is shut."""
    shut = [gate for gate in gates if not gate.open]
    if not shut:
        return decision("PROMOTE", tuple(gate.reason for gate in gates), (), comparison, audit, given)
    remedies = tuple(dict.fromkeys(gate.remedy for gate in shut))
    told = tuple(dict.fromkeys(gate.reason for gate in shut))
    return decision("INSUFFICIENT", told, remedies, comparison, audit, given)


def insufficient_without_look(
    reason: str,
    *,
    manifest: str,
    candidate: str,
    evidence_class: EvidenceClass,
    audit: str = "",
    would_change: tuple[str, ...] = (),
    shortfall: str = "",
) -> Decision:
    """INSUFFICIENT before the holdout was looked at: no comparison, and no look spent."""
    return Decision(
        verdict="INSUFFICIENT",
        reasons=(reason, "The holdout was not looked at, so no look was spent.", *stamps(shortfall, "model")),
        would_change=would_change or ("A search that accepts a candidate: a larger budget, or richer feedback.",),
        manifest=manifest,
        candidate=candidate,
        audit=audit,
        comparison="",
        evidence_class=evidence_class,
        underpowered=bool(shortfall),
    )


def broken(audit: Audit, comparison: Comparison) -> tuple[str, ...]:
    """Failed checks and confirmed hard regressions, each as a sentence."""
    failed = [f"The audit check {check.name!r} failed: {check.detail}." for check in audit.checks if not check.passed]
    if not audit.checks:
        failed.append("The audit made no check, so nothing about the candidate is known to be intact.")
    hard = [
        f"Case {regression.case_id!r} passes with the baseline and fails with the candidate, again in fresh sessions."
        for regression in comparison.regressions
        if regression.confirmed
    ]
    return (*failed, *hard)


def below_zero(comparison: Comparison, policy: Policy, given: Circumstances) -> tuple[str, ...]:
    """A reason when both tests put the candidate below minus the minimum effect, however failures are imputed."""
    bar, least = one_sided(policy, given), max(0.0, policy.minimum_effect)
    highest = max(comparison.interval.high, comparison.worst.high, comparison.best.high)
    if highest >= -least or comparison.p_sign_flip_worse > bar:
        return ()
    reason = (
        f"The candidate is worse: mean difference {shown(comparison.interval)}, one-sided sign-flip p "
        f"{comparison.p_sign_flip_worse:.4f} (at most {bar:.4f}), below -{least:.3f} also with failures counted for it."
    )
    return (reason,)


def decision(
    verdict: VerdictName,
    reasons: tuple[str, ...],
    would_change: tuple[str, ...],
    comparison: Comparison,
    audit: Audit,
    given: Circumstances,
) -> Decision:
    """The Decision, bound to its evidence and stamped with what has to be known wherever it is read."""
    return Decision(
        verdict=verdict,
        reasons=reasons + stamps(given.shortfall, given.evidence_class),
        would_change=would_change,
        manifest=audit.manifest,
        candidate=audit.candidate,
        audit=audit.fingerprint,
        comparison=comparison.fingerprint,
        evidence_class=given.evidence_class,
        underpowered=bool(given.shortfall),
    )


def stamps(shortfall: str, evidence_class: EvidenceClass) -> tuple[str, ...]:
    """What is true of all evidence of a run: a design that was told to be too small, models that are no models."""
    design = f"Run anyway: {shortfall}. A gain that such a design does find is likely to be overstated."
    fixture = "The evidence comes from fixture models: it shows that the harness works, not that a model does."
    return (*([design] if shortfall else []), *([fixture] if evidence_class == "fixture" else []))
