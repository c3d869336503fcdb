"""What a program saw: observations, and the packet that fingerprints its whole effective input."""

from typing import Literal

from tasks.records.base import Record


class ToolCall(Record):
    """One question to the repository, or one thing to be done to a working tree."""

    tool: str
    arguments: dict[str, str | int]


class Observation(Record):
    """One tool call and its bounded answer.

    `status` is `rejected` where the boundary refused the call, `denied` where policy or the host did, and `stale` where
    the file is not what the program last saw of it; none of the three had an effect.
    """

    call: ToolCall
    output: str
    truncated: bool
    status: Literal["ok", "rejected", "denied", "stale"] = "ok"


class EvidencePacket(Record):
    """The initial request's fingerprint and the ordered observations: inputs that are unknowable before a run."""

    request: str
    observations: tuple[Observation, ...]
