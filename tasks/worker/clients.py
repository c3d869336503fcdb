"""The worker's ends of the two brokers: a model engine for DSPy, and a workshop for a case."""

from collections.abc import Sequence
from typing import Any

from dspy import lm15

from tasks.records.attempt import TestReport, Validation
from tasks.records.case import Case, Edit
from tasks.records.model import Message, ModelReply, ModelRequest
from tasks.records.protocols import Halt, ToolBox
from tasks.worker.tools import Budgeted
from tasks.worker.wire import Channel


class Brokers:
    """Both brokers over one channel. A refusal that is nobody's score comes back as a Halt and is raised as one."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.lm_calls = 0

    def ask(self, operation: str, **fields: Any) -> dict[str, Any]:
        """One question to the parent. Raises Halt."""
        answer = self._channel.ask({"op": operation, **fields})
        if "halt" in answer:
            raise Halt(answer["halt"]["kind"], answer["halt"]["detail"])
        return answer

    def complete(self, request: ModelRequest) -> ModelReply:
        """Raises Halt when the provider or a budget is to blame."""
        self.lm_calls += 1
        return ModelReply.model_validate(self.ask("complete", request=request.body())["reply"])


class BrokerEngine:
    """A DSPy engine whose provider is the model broker."""

    supported_params = frozenset({"response_format"})  # DSPy's second try asks for JSON

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    def __deepcopy__(self, memo: dict[int, Any]) -> "BrokerEngine":
        return self  # GEPA deep-copies programs; the pipe behind this engine is one

    def complete(self, request: lm15.Request) -> lm15.Response:
        reply = self._brokers.complete(_as_record(request))
        usage = lm15.Usage(
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            total_tokens=reply.input_tokens + reply.output_tokens,
        )
        message = lm15.Message.assistant([lm15.TextPart(reply.text)])
        return lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)


def _as_record(request: lm15.Request) -> ModelRequest:
    system = request.system
    if system is not None and not isinstance(system, str):
        system = "".join(getattr(part, "text", "") for part in system)
    messages = [
        Message(role="assistant" if message.role == "assistant" else "user", content=message.text or "")
        for message in request.messages
    ]
    config = request.config
    return ModelRequest(
        model=request.model,
        system=system or "",
        messages=tuple(messages),
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        response_format="text" if config.response_format is None else "json",
    )


class RemoteWorkshop:
    """A case's workshop: tools answer here, from the snapshot; tests run behind the grading broker."""

    def __init__(self, case: Case, tools: ToolBox, brokers: Brokers, tool_calls: int) -> None:
        self.case_id, self._brokers = case.case_id, brokers
        self._unbounded, self._tool_calls = tools, tool_calls
        self.tools: ToolBox = Budgeted(tools, tool_calls)
        self.lm_calls_before = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> "RemoteWorkshop":
        return self

    def reproduce(self) -> TestReport:
        """Begin an attempt: the broker and the tools count from here."""
        self.tools = Budgeted(self._unbounded, self._tool_calls)
        self.lm_calls_before = self._brokers.lm_calls
        return TestReport.model_validate(self._brokers.ask("reproduce", case_id=self.case_id)["report"])

    def validate(self, edits: Sequence[Edit]) -> Validation:
        """Raises Halt when the sandbox, not the edits, is to blame."""
        answer = self._brokers.ask("validate", case_id=self.case_id, edits=[edit.body() for edit in edits])
        return Validation.model_validate(answer["validation"])
