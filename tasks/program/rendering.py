"""What a model reads of the evidence: observations as text, in order, within one byte cap."""

from collections.abc import Sequence

from tasks.records.attempt import TestReport, Validation
from tasks.records.evidence import Observation

MAX_EVIDENCE_CHARS = 60_000


def evidence_text(reproduction: TestReport, observations: Sequence[Observation]) -> str:
    """The reproduced failure first, then every observation under a heading that names the call."""
    parts = [f"### reproduced failure\n{reproduction.shown}"]
    parts.extend(_observation_text(observation) for observation in observations)
    text = "\n\n".join(parts)
    return text if len(text) <= MAX_EVIDENCE_CHARS else text[:MAX_EVIDENCE_CHARS] + "\n[evidence cut]"


def _observation_text(observation: Observation) -> str:
    arguments = " ".join(f"{name}={value}" for name, value in sorted(observation.call.arguments.items()))
    flags = " [truncated]" if observation.truncated else ""
    flags += " [rejected]" if observation.status == "rejected" else ""
    return f"### {observation.call.tool} {arguments}{flags}\n{observation.output}"


def validation_text(validation: Validation) -> str:
    """Why a validation did not pass, in words a model can act on."""
    if validation.refusals:
        return "\n".join(f"edit of {refusal.path} refused: {refusal.reason}" for refusal in validation.refusals)
    if not validation.parses:
        return "the edited file no longer parses as Python"
    return validation.report.shown if validation.report else "no test ran"
