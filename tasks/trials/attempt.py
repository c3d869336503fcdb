"""From what the worker said and what the brokers saw to an Attempt.

The proposal and the choice of observations are the program's; the reproduction and the validations are the parent's
own, and what the tools said is held against the case. Nothing that decides a score is taken from the worker's word.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.records.attempt import Arm, Attempt, Locus, Process, Proposal, TestReport, Usage, Validation
from tasks.records.case import Case
from tasks.records.evidence import EvidencePacket
from tasks.trials.replay import refuse_forged


def assemble(
    frame: Mapping[str, Any],
    *,
    session: str,
    arm: Arm,
    case: Case,
    candidate: str,
    tool_calls: int,
    messages: Sequence[str],
    reproduction: TestReport,
    validations: tuple[Validation, ...],
    used: Mapping[str, int],
) -> Attempt:
    """One finished attempt. Raises pydantic.ValidationError when the worker's frame is no attempt, Damaged for evidence
    that is not what this case's tools say or not what the models were shown."""
    proposal = Proposal.model_validate(frame["proposal"])
    evidence = EvidencePacket.model_validate(frame["evidence"])
    refuse_forged(evidence, case, reproduction, tool_calls, messages)
    process = process_of(proposal, evidence, tool_calls, solved=bool(validations) and validations[-1].passed)
    return Attempt(
        case_id=str(frame["case_id"]),
        session=session,
        arm=arm,
        candidate=candidate,
        reproduction=reproduction,
        evidence=evidence,
        proposal=proposal,
        validations=validations,
        revisions=max(0, len(validations) - 1),
        usage=Usage(
            lm_calls=int(frame["lm_calls"]),
            input_tokens=used["input_tokens"],
            output_tokens=used["output_tokens"],
            tool_calls=len(evidence.observations),
            validations=len(validations),
        ),
        process=process,
        locus=locus_of(proposal, process, validations, calls_left=tool_calls - len(evidence.observations)),
    )


def process_of(proposal: Proposal, evidence: EvidencePacket, tool_calls: int, *, solved: bool) -> Process:
    """How the investigation went."""
    calls = [observation.call.fingerprint for observation in evidence.observations]
    read = {
        str(observation.call.arguments.get("path"))
        for observation in evidence.observations
        if observation.call.tool == "read_file" and observation.status == "ok"
    }
    return Process(
        repeated_calls=len(calls) - len(set(calls)),
        rejected_calls=sum(observation.status == "rejected" for observation in evidence.observations),
        unread_suspected_files=sum(path not in read for path in proposal.suspected_files),
        stopped_early=not solved and len(calls) < tool_calls,
    )


def locus_of(proposal: Proposal, process: Process, validations: tuple[Validation, ...], calls_left: int) -> Locus:
    """Where an attempt failed, from the first boundary that it did not pass; `none` when its last validation passed."""
    last = validations[-1] if validations else None
    if last and last.passed:
        return "none"
    if last and not last.in_scope:
        return "safety"
    if last:
        return "validation"
    if process.rejected_calls and process.unread_suspected_files:
        return "access"
    if process.unread_suspected_files:
        return "retrieval"
    if proposal.missing_evidence and calls_left == 0:
        return "budget"
    return "reasoning"
