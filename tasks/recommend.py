"""Recommend: PROMOTE, REJECT or INSUFFICIENT, from the recorded comparison and the audit; it activates nothing.

Takes    the Baseline whose calibration was told, a Paired and the Audited candidate; or, where the holdout stayed
         closed, what closed it.
Gives    a Decision with its reasons, and with what would change it at what cost.
Refuses  a comparison that was made at another level than the policy declares (Damaged).
Source   DESIGN.md, "Statistics and policy".

That a run went on though its design could not detect its declared effect is part of the Decision, and of no record
before it: scores, candidate and audit are the same either way.
"""

from tasks.governance.circumstances import Circumstances
from tasks.governance.policy import decide, insufficient_without_look, stamps
from tasks.governance.single import PatchEvidence, decide_single
from tasks.records.attempt import Attempt
from tasks.records.grading import STRONGEST_FIRST, GradingTier
from tasks.records.model import ModelReply
from tasks.records.stages import Audited, Baseline, Optimized, Paired
from tasks.records.verdict import Comparison, Decision
from tasks.scoring.inference import sample_sd
from tasks.scoring.power import discordant_sd, minimum_detectable_effect
from tasks.trials.laboratory import Laboratory

VERSION = "2"
MOST_SESSIONS = 7
LOOKING = ("holdout", "rerun")
"""Sessions of the holdout, as the call ledger names them."""


def recommend(
    lab: Laboratory, before: Baseline, optimized: Optimized, audited: Audited, paired: Paired | None
) -> Decision:
    """Apply the manifest's policy to the comparison, or say what kept the holdout closed."""
    if not audited.audit.intact:
        return reject_without_look(lab, before, audited)
    if optimized.candidate is None or paired is None:
        return insufficient(lab, before, optimized, audited)
    given, policy = circumstances(lab, before, paired), lab.manifest.policy
    if policy.rule == "single":
        return decide_single(patch_evidence(lab, paired), paired.comparison, audited.audit, policy, given)
    return decide(paired.comparison, audited.audit, policy, given)


def insufficient(lab: Laboratory, before: Baseline, optimized: Optimized, audited: Audited) -> Decision:
    """The search accepted nothing that beats the seed on dev, so no look at the holdout is spent."""
    seed = optimized.search.discoveries[0]
    return insufficient_without_look(
        f"The search made {optimized.search.proposals} proposals in {optimized.search.metric_calls} metric calls, and "
        f"no accepted candidate beats the seed program's dev score of {seed.dev_score:.3f}.",
        manifest=lab.manifest.fingerprint,
        candidate=seed.candidate.fingerprint,
        audit=audited.audit.fingerprint,
        evidence_class=lab.manifest.provider_config.evidence_class,
        shortfall=shortfall(before),
    )


def reject_without_look(lab: Laboratory, before: Baseline, audited: Audited) -> Decision:
    """The audit is broken: the holdout stays closed."""
    failed = (check for check in audited.audit.checks if not check.passed)
    return Decision(
        verdict="REJECT",
        reasons=(
            *(f"The audit found {check.name} not to hold: {check.detail}." for check in failed),
            "The holdout was not looked at, so no look was spent.",
            *stamps(shortfall(before), "model"),
        ),
        would_change=("A candidate whose audit is intact.",),
        manifest=lab.manifest.fingerprint,
        candidate=audited.candidate.fingerprint,
        audit=audited.audit.fingerprint,
        comparison="",
        evidence_class=lab.manifest.provider_config.evidence_class,
        underpowered=bool(shortfall(before)),
    )


def shortfall(before: Baseline) -> str:
    """Why the design was called too small before anything was optimized; empty where it was not."""
    return "" if before.calibration.able else before.calibration.statement


def patch_evidence(lab: Laboratory, paired: Paired) -> PatchEvidence:
    """The candidate's own attempts of the look, without reruns."""
    attempts = [lab.store.get(name, Attempt) for name in paired.attempts]
    looked = [one for one in attempts if one.arm == "candidate" and one.session.startswith("holdout")]
    parts = (part for card in paired.marks.arm("candidate").scorecards for part in card.components)
    return PatchEvidence(
        attempts=len(looked),
        validated=sum(bool(one.validations) and one.validations[-1].passed for one in looked),
        independent=tuple(part.value for part in parts if part.name == "independent_tests"),
        failures=paired.comparison.failures,
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


def circumstances(lab: Laboratory, before: Baseline, paired: Paired) -> Circumstances:
    """Under what the evidence was made, and what more of it would cost."""
    manifest, comparison = lab.manifest, paired.comparison
    looks, attempts = manifest.independent_evaluation.looks, paired.attempts
    calls = sum(lab.store.get(name, Attempt).usage.lm_calls for name in attempts)
    return Circumstances(
        looks=looks,
        grading_tier=grading_tier_of(paired),
        sandbox_tier=tier_of(paired),
        evidence_class=manifest.provider_config.evidence_class,
        twin_bits=twin_bits_of(lab, paired),
        regressed=comparison.regressed_components,
        shortfall=shortfall(before),
        cases=len(manifest.holdout_ids),
        sessions=manifest.independent_evaluation.sessions,
        sessions_needed=sessions_needed(lab, before, comparison),
        lm_calls_per_attempt=calls / len(attempts) if attempts else 0.0,
        usd_per_call=usd_per_call(lab),
    )


def usd_per_call(lab: Laboratory) -> float | None:
    """What one reply on holdout cases cost on average; None where one of them has no known price.

    Replies, not calls: what a killed run bought twice belongs to no experiment's price and to no decision's name.
    """
    texts = (row.reply_json for row in lab.ledger.rows() if row.session.startswith(LOOKING) and row.reply_json)
    replies = [ModelReply.model_validate_json(text) for text in texts]
    if not replies or not all(reply.cost_known for reply in replies):
        return None
    return round(sum(reply.cost_usd for reply in replies) / len(replies), 9)


def sessions_needed(lab: Laboratory, before: Baseline, comparison: Comparison) -> int | None:
    """Up to seven sessions of the same cases, where these would find the observed effect; None where they would not.

    More sessions take away from the noise that the A/A sessions showed, and from nothing else.
    """
    policy, evaluation = lab.manifest.policy, lab.manifest.independent_evaluation
    effect = comparison.interval.mean - max(0.0, policy.minimum_effect)
    spread = max(discordant_sd(), sample_sd(list(comparison.deltas.values())))
    noise = 2 * before.noise_floor**2
    for sessions in range(evaluation.sessions + 1, MOST_SESSIONS + 1):
        taken = noise / evaluation.sessions - noise / sessions
        sd = max(discordant_sd(), max(0.0, spread**2 - taken) ** 0.5)
        found = minimum_detectable_effect(len(comparison.deltas), sd, alpha=policy.alpha, looks=evaluation.looks)
        if found <= effect:
            return sessions if taken > 0 else None
    return None
