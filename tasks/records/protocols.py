"""What rooms expect of one another; parts are handed in, never imported sideways."""

from collections.abc import Sequence
from typing import Protocol

from tasks.records.attempt import TestReport, Validation
from tasks.records.case import Edit
from tasks.records.evidence import Observation, ToolCall
from tasks.records.model import Asker, ModelReply, ModelRequest


class ToolBox(Protocol):
    """Three read-only tools over an immutable snapshot; a bad call is an observation, never an exception."""

    def call(self, call: ToolCall) -> Observation: ...


class Workshop(Protocol):
    """All that a program may do with one case: look, and ask for development validation."""

    case_id: str
    tools: ToolBox

    def reproduce(self) -> TestReport:
        """The public failure, seen before anything is asked of a model."""
        ...

    def validate(self, edits: Sequence[Edit]) -> Validation:
        """Apply edits to an isolated copy and run the public tests.

        Raises Halt when the sandbox or a budget, and not the edits, is to blame.
        """
        ...


class ModelBroker(Protocol):
    """The one way to a model."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """Raises Halt when the provider or a budget is to blame."""
        ...


class Provider(Protocol):
    """A model behind the ledger. `seed` names the session, so that a seeded engine can differ between sessions."""

    def complete(self, request: ModelRequest, asker: Asker, occurrence: int) -> ModelReply: ...


class Halt(BaseException):
    """Trouble that is nobody's score. A BaseException, because DSPy and GEPA turn every Exception into 0.0."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind, self.detail = kind, detail
