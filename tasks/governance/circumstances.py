"""Circumstances: under what the evidence was made, as plain values for the gates to read."""

from dataclasses import dataclass
from typing import Literal

from tasks.records.grading import GradingTier

EvidenceClass = Literal["fixture", "model"]


@dataclass(frozen=True)
class Circumstances:
    """Under what the evidence was made. `twin_bits` say how far twins narrow chance passes; None: not known.

    `regressed` names the components that are worse by themselves. `shortfall` says that the design could not detect the
    effect that was declared; empty where it could. What a further attempt costs is `lm_calls_per_attempt` at
    `usd_per_call`; 0 and None: not known. `sessions_needed` is how many sessions of the same cases would find the
    observed effect; None where no number would.
    """

    looks: int
    grading_tier: GradingTier
    sandbox_tier: str
    evidence_class: EvidenceClass
    twin_bits: float | None = None
    regressed: tuple[str, ...] = ()
    shortfall: str = ""
    cases: int = 0
    sessions: int = 0
    sessions_needed: int | None = None
    lm_calls_per_attempt: float = 0.0
    usd_per_call: float | None = None
