"""Grading broker: the parent's end. The sandbox, the sealed tests and the metric are on this side only.

Takes    a case id and edits, or a case id and everything that an attempt said.
Gives    what the current stage may reveal: public reports always; a score and feedback only while optimizing, and only
         for train and dev cases.
Refuses  a case that was not handed to this broker (Damaged: somebody reaches for what is sealed).
"""

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import TypeAdapter

from tasks.records.attempt import TestReport, Validation
from tasks.records.case import Case, Edit
from tasks.records.errors import Damaged, SandboxTrouble

_EDITS = TypeAdapter(tuple[Edit, ...])


class DevelopmentTests(Protocol):
    """Public tests on visible code."""

    def reproduce(self, case: Case) -> TestReport: ...

    def validate(self, case: Case, edits: tuple[Edit, ...]) -> Validation: ...


class AttemptSink(Protocol):
    """Who learns that an attempt has begun, and who grades one that has ended."""

    def turn(self, frame: Mapping[str, Any]) -> dict[str, Any]: ...

    def begin(self, case: Case, reproduction: TestReport) -> None: ...

    def validated(self, case: Case, edits: tuple[Edit, ...], validation: Validation) -> None: ...

    def ended(self, frame: Mapping[str, Any]) -> dict[str, Any]: ...

    def halted(self, frame: Mapping[str, Any]) -> dict[str, Any]: ...

    def broken(self, trouble: SandboxTrouble) -> dict[str, Any]:
        """What the worker is told when the sandbox broke; raising ends the worker."""
        ...


class GradingBroker:
    """Answers one worker about the cases that it was given."""

    def __init__(self, cases: Mapping[str, Case], tests: DevelopmentTests, sink: AttemptSink) -> None:
        self._cases, self._tests, self._sink = cases, tests, sink

    def reproduce(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """The public failure of untouched code; it also begins an attempt."""
        case = self._case(frame)
        report = self._tests.reproduce(case)
        self._sink.begin(case, report)
        return {"report": report.body()}

    def validate(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """Development validation; raises SandboxTrouble when the sandbox is to blame."""
        case, edits = self._case(frame), _EDITS.validate_python(frame["edits"])
        validation = self._tests.validate(case, edits)
        self._sink.validated(case, edits, validation)
        return {"validation": validation.body()}

    def ended(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """An attempt has ended; the sink decides what the worker learns about it."""
        self._case(frame)
        return self._sink.ended(frame)

    def turn(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """The worker takes up its next job."""
        return self._sink.turn(frame)

    def halted(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """The worker gave its job up, because the sandbox broke under it."""
        return self._sink.halted(frame)

    def broken(self, trouble: SandboxTrouble) -> dict[str, Any]:
        """The sandbox broke; the sink decides whether the worker goes on."""
        return self._sink.broken(trouble)

    def _case(self, frame: Mapping[str, Any]) -> Case:
        case = self._cases.get(str(frame.get("case_id")))
        if case is None:
            raise Damaged(f"the worker asked for case {frame.get('case_id')!r}, which this stage did not hand out")
        return case
