"""Replay: an evidence packet holds what the tools say of this case, and what the models were asked with.

Takes    what a worker says that its program saw; the case, its reproduction, and the requests that the broker saw.
Gives    nothing.
Refuses  (Damaged) a packet of another request; more observations or bytes than one attempt may have; an observation
         that the tools do not repeat word by word; one that was left out, added or moved after a model had seen it.
Not covered  a call that was rejected is not repeated: it gave no evidence, and its arguments were cut.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tasks.program.rendering import evidence_text
from tasks.records.attempt import TestReport
from tasks.records.case import Case
from tasks.records.errors import Damaged
from tasks.records.evidence import EvidencePacket, Observation, request_of
from tasks.records.tools import LIMITS
from tasks.records.tree import SourceTree
from tasks.worker.tools import SnapshotTools

MAX_REJECTION_CHARS = 300
CARRIED = re.compile(r"^\[\[ ## (repository_evidence|evidence_so_far) ## \]\]\n### reproduced failure$", re.MULTILINE)


def refuse_forged(
    evidence: EvidencePacket, case: Case, reproduction: TestReport, tool_calls: int, messages: Sequence[str]
) -> None:
    """Hold a packet against the case and against the user messages of the attempt. Raises Damaged."""
    if evidence.request != request_of(case.issue, case.constraints, reproduction.body()):
        raise Damaged(f"the evidence of case {case.case_id!r} is bound to another request")
    if len(evidence.observations) > tool_calls:
        got = len(evidence.observations)
        raise Damaged(f"the worker shows {got} observations of case {case.case_id!r}, the manifest allows {tool_calls}")
    if _size_bytes(evidence.observations) > LIMITS.max_attempt_bytes:
        raise Damaged(f"the evidence of case {case.case_id!r} has more than {LIMITS.max_attempt_bytes:,} bytes")
    tools = _tools(case.repo)
    for number, observation in enumerate(evidence.observations, 1):
        if not _repeats(observation, tools):
            raise Damaged(f"observation {number} of case {case.case_id!r} is not what {observation.call.tool!r} says")
    _refuse_unshown(evidence.observations, case, reproduction, messages)


def _size_bytes(observations: Sequence[Observation]) -> int:
    return sum(len(seen.output.encode()) for seen in observations if seen.status == "ok")


def _repeats(observation: Observation, tools: SnapshotTools) -> bool:
    if observation.status == "rejected":
        return len(observation.output) <= MAX_REJECTION_CHARS and not observation.truncated
    return tools.call(observation.call) == observation


@lru_cache(maxsize=4)
def _tools(tree: SourceTree) -> SnapshotTools:
    return SnapshotTools(tree)


def _refuse_unshown(
    observations: Sequence[Observation], case: Case, reproduction: TestReport, messages: Sequence[str]
) -> None:
    """The last request that carries evidence carries all of it, in this order, up to the end of its field."""
    carrying = [message for message in messages if CARRIED.search(message)]
    if not carrying and not observations:
        return
    text = evidence_text(reproduction, observations)
    if not carrying or f"{text}\n\n[[ ## " not in f"{carrying[-1]}\n\n[[ ## ":
        raise Damaged(f"the evidence of case {case.case_id!r} is not what its last request carried")
