"""What a program saw: observations, and the packet that fingerprints its whole effective input."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import StrictInt, StrictStr

from tasks.records.base import Record
from tasks.records.fingerprint import fingerprint


class ToolCall(Record):
    """One question to the repository, or one thing to be done to a working tree. A bool is neither text nor number."""

    tool: str
    arguments: dict[str, StrictStr | StrictInt]


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


def normalized(text: str) -> str:
    """One request, one spelling: LF line ends, no trailing blanks, no surrounding empty lines."""
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").splitlines()).strip()


def request_of(issue: str, constraints: str, reproduction: Mapping[str, Any]) -> str:
    """The fingerprint of an initial request: what was asked, and the body of the public failure that was shown."""
    asked = {"issue": normalized(issue), "constraints": normalized(constraints)}
    return fingerprint({**asked, "reproduction": dict(reproduction)})
