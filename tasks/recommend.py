"""Recommend: PROMOTE, REJECT or INSUFFICIENT, from the recorded comparison and the audit; it activates nothing.

Takes    a Paired and the Audited candidate; or, where the holdout stayed closed, what closed it.
Gives    a Decision with its reasons, and with what would change it.
Refuses  a comparison that was made at another level than the policy declares (Damaged).
Source   DESIGN.md, "Statistics and policy".
"""

from tasks.governance.gates import Circumstances
from tasks.governance.policy import decide, insufficient_without_look
from tasks.records.attempt import Attempt
from tasks.records.grading import STRONGEST_FIRST, GradingTier
from tasks.records.stages import Audited, Optimized, Paired
from tasks.records.verdict import Decision
from tasks.trials.laboratory import Laboratory

VERSION = "1"


def recommend(lab: Laboratory, optimized: Optimized, audited: Audited, paired: Paired | None) -> Decision:
    """Apply the manifest's policy to the comparison, or say what kept the holdout closed."""
    if not audited.audit.intact:
        return reject_without_look(lab, audited)
    if optimized.candidate is None or paired is None:
        return insufficient(lab, optimized, audited)
    calls = sum(lab.store.get(name, Attempt).usage.lm_calls for name in paired.attempts)
    groups = max(1, len(paired.comparison.deltas))
    given = circumstances(lab, paired, lm_calls_per_group=calls / groups)
    return decide(paired.comparison, audited.audit, lab.manifest.policy, given)


def insufficient(lab: Laboratory, optimized: Optimized, audited: Audited) -> Decision:
    """The search accepted nothing that beats the seed on dev, so no look at the holdout is spent."""
    seed = optimized.search.discoveries[0]
    return insufficient_without_look(
        f"The search made {optimized.search.proposals} proposals in {optimized.search.metric_calls} metric calls, and "
        f"no accepted candidate beats the seed program's dev score of {seed.dev_score:.3f}.",
        manifest=lab.manifest.fingerprint,
        candidate=seed.candidate.fingerprint,
        audit=audited.audit.fingerprint,
        evidence_class=lab.manifest.provider_config.evidence_class,
    )


def reject_without_look(lab: Laboratory, audited: Audited) -> Decision:
    """The audit is broken: the holdout stays closed."""
    failed = (check for check in audited.audit.checks if not check.passed)
    return Decision(
        verdict="REJECT",
        reasons=(
            *(f"The audit found {check.name} not to hold: {check.detail}." for check in failed),
            "The holdout was not looked at, so no look was spent.",
        ),
        would_change=("A candidate whose audit is intact.",),
        manifest=lab.manifest.fingerprint,
        candidate=audited.candidate.fingerprint,
        audit=audited.audit.fingerprint,
        comparison="",
        evidence_class=lab.manifest.provider_config.evidence_class,
    )


def tier_of(paired: Paired) -> str:
    """The weakest isolation under which any final tree was graded; `none` when there is no grading."""
    tiers = {report.tier for grading in paired.gradings for report in grading.reports}
    return next((tier for tier in ("none", "landlock", "bubblewrap") if tier in tiers), "none")


def grading_tier_of(paired: Paired) -> GradingTier:
    """The weakest tier by which any test of any final tree was judged; `in-process` when none was."""
    tiers = {tier for grading in paired.gradings for report in grading.reports for tier in report.tiers.values()}
    return max(tiers, key=STRONGEST_FIRST.index, default="in-process")


def twin_bits_of(lab: Laboratory, paired: Paired) -> float | None:
    """The fewest bits of doubt that the twins of any case leave; None when no test was twinned."""
    plans = (lab.plans[grading.case_id] for grading in paired.gradings if grading.case_id in lab.plans)
    return min((plan.bits for plan in plans if plan.of("twinned")), default=None)


def circumstances(lab: Laboratory, paired: Paired, lm_calls_per_group: float) -> Circumstances:
    """Under what the evidence was made."""
    return Circumstances(
        looks=lab.manifest.independent_evaluation.looks,
        grading_tier=grading_tier_of(paired),
        sandbox_tier=tier_of(paired),
        evidence_class=lab.manifest.provider_config.evidence_class,
        twin_bits=twin_bits_of(lab, paired),
        lm_calls_per_group=lm_calls_per_group,
    )
