"""The rule for one patch: what its own tests say of it, and nothing about the next case.

Takes    what the candidate's attempts brought, the Comparison, an Audit, the declared Policy, the Circumstances.
Gives    a Decision: PROMOTE when each attempt passed development validation and scored 1.0 in independent evaluation,
         without a hard regression.
Refuses  nothing.
Source   fourth seed, 7: "PROMOTE because the final candidate passed development validation, scored 1.0 on the
         independent evaluation, and introduced no hard regression".
"""

from dataclasses import dataclass

from tasks.governance.circumstances import Circumstances
from tasks.governance.gates import Gate, component_gates, standing_gates
from tasks.governance.policy import broken, by_gates, decision
from tasks.governance.wording import counted
from tasks.records.spec import Policy
from tasks.records.verdict import Audit, Comparison, Decision


@dataclass(frozen=True)
class PatchEvidence:
    """The candidate's attempts: how many, how many passed development validation, each one's independent score."""

    attempts: int
    validated: int
    independent: tuple[float, ...]
    failures: int


def decide_single(
    patch: PatchEvidence, comparison: Comparison, audit: Audit, policy: Policy, given: Circumstances
) -> Decision:
    """The recommendation about one patch."""
    if faults := broken(audit, comparison):
        return decision("REJECT", faults, (), comparison, audit, given)
    gates = (
        *patch_gates(patch, policy),
        *component_gates(comparison, policy, given),
        *standing_gates(comparison, policy, given),
    )
    return by_gates(gates, comparison, audit, given)


def patch_gates(patch: PatchEvidence, policy: Policy) -> tuple[Gate, ...]:
    """Validated in development, right in independent evaluation, and scored at all."""
    right = sum(value == 1 for value in patch.independent)
    return (
        Gate(
            patch.attempts > 0 and patch.validated == patch.attempts,
            f"{patch.validated} of {counted(patch.attempts, 'attempt')} passed development validation.",
            "A patch that passes the public tests.",
        ),
        Gate(
            patch.attempts > 0 and right == len(patch.independent) == patch.attempts,
            f"{right} of {counted(patch.attempts, 'attempt')} scored 1.0 in independent evaluation.",
            "A patch that passes every sealed test in every regrade.",
        ),
        Gate(
            patch.failures <= policy.max_failures,
            f"{counted(patch.failures, 'session')} without a score, at most {policy.max_failures} may be.",
            f"A scored session in place of each that failed ({patch.failures}).",
        ),
    )
