"""What a program saw: observations, and the packet that fingerprints its whole effective input."""

from typing import Literal

from tasks.records.base import Record


class ToolCall(Record):
    """One read-only question to the repository."""

    tool: str
    arguments: dict[str, str | int]


class Observation(Record):
    """One tool call and its bounded answer; `status` is `rejected` where the boundary refused the call."""

    call: ToolCall
    output: str
    truncated: bool
    status: Literal["ok", "rejected"] = "ok"


class EvidencePacket(Record):
    """The initial request's fingerprint and the ordered observations: inputs that are unknowable before a run."""

    request: str
    observations: tuple[Observation, ...]
