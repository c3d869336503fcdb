"""The outcome of a run: what `--json` prints and what a person reads."""

from typing import Self

from flows.stages import Stages
from tasks.evidence.metrics import mean_scores
from tasks.evidence.tracking import Tracker
from tasks.records.attempt import Arm
from tasks.records.base import Record
from tasks.records.case import Split
from tasks.records.scorecard import Marks
from tasks.records.stages import Baseline, Optimized, Paired, Proven
from tasks.records.verdict import Decision, Interval, VerdictName
from tasks.trials.laboratory import Laboratory


class Fingerprints(Record):
    """The names of the frozen experiment, the candidate and the decision about it."""

    manifest: str
    candidate: str
    decision: str


class LMCalls(Record):
    """Calls bought in this run, and replies that an earlier one had bought."""

    bought: int
    reused: int


class Delta(Record):
    """Candidate minus baseline on the holdout."""

    interval: Interval
    p_sign_flip: float
    components: dict[str, Interval]


class Outcome(Record):
    """One object; `scores` maps baseline and candidate to {split: {component: mean in [0, 1]}}."""

    verdict: VerdictName
    reasons: tuple[str, ...]
    would_change: tuple[str, ...]
    fingerprints: Fingerprints
    evidence_class: str
    underpowered: bool = False
    scores: dict[str, dict[str, dict[str, float]]]
    candidates: tuple[float, ...]
    delta: Delta | None
    lm_calls: LMCalls
    sandbox_tier: str
    stages_reused: tuple[str, ...]
    stages_computed: dict[str, str]
    sandbox_runs: dict[str, dict[str, int]]
    troubles: tuple[str, ...]
    mlflow_run_id: str
    flow_run_id: str
    seconds: dict[str, float]

    @classmethod
    def of(
        cls,
        lab: Laboratory,
        decision: Decision,
        evidence: tuple[Proven, Baseline, Optimized, Paired | None],
        stages: Stages,
        tracker: Tracker,
        flow_run_id: str,
    ) -> Self:
        """Everything is read from records; nothing is computed here that is not stored."""
        proven, before, found, paired = evidence
        comparison = paired.comparison if paired else None
        return cls(
            verdict=decision.verdict,
            reasons=decision.reasons,
            would_change=decision.would_change,
            fingerprints=Fingerprints(
                manifest=decision.manifest, candidate=decision.candidate, decision=decision.fingerprint
            ),
            evidence_class=decision.evidence_class,
            underpowered=decision.underpowered,
            scores=_scores(before, found, paired),
            candidates=tuple(discovery.dev_score for discovery in found.search.discoveries),
            delta=comparison
            and Delta(
                interval=comparison.interval, p_sign_flip=comparison.p_sign_flip, components=comparison.components
            ),
            lm_calls=LMCalls(bought=lab.ledger.bought, reused=lab.ledger.reused),
            sandbox_tier=proven.sandbox_tier,
            stages_reused=tuple(stages.reused),
            stages_computed=stages.computed,
            sandbox_runs=lab.notes,
            troubles=tuple(tracker.troubles),
            mlflow_run_id=tracker.run_id or "",
            flow_run_id=flow_run_id,
            seconds=stages.seconds,
        )


def _scores(before: Baseline, found: Optimized, paired: Paired | None) -> dict[str, dict[str, dict[str, float]]]:
    scores: dict[str, dict[str, dict[str, float]]] = {"baseline": {"dev": _means("baseline", "dev", before.marks)}}
    best = max(discovery.dev_score for discovery in found.search.discoveries)
    scores["candidate"] = {"dev": {"score": best}}
    if paired:
        scores["baseline"]["holdout"] = _means("baseline", "holdout", paired.marks)
        scores["candidate"]["holdout"] = _means("candidate", "holdout", paired.marks)
    return scores


def _means(arm: Arm, split: Split, marks: Marks) -> dict[str, float]:
    return {name.removeprefix(f"{arm}/{split}/"): value for name, value in mean_scores(arm, split, marks).items()}
