"""Attendance: what the parent itself saw of the attempt that is going on. The worker's word decides nothing.

Takes    the events of one attempt, in the order in which the brokers see them.
Gives    its reproduction and its validations, when it ends.
Refuses  (Damaged) a worker that breaks the order: another case than the one begun, more validations than the runtime
         policy allows, final edits that were not the ones validated last, instructions that its requests did not carry,
         an end without a beginning.
"""

from collections.abc import Mapping, Sequence

from tasks.records.attempt import Proposal, TestReport, Validation
from tasks.records.case import Case, Edit
from tasks.records.errors import Damaged


class Attendance:
    """One attempt at a time; `revisions` is the runtime policy's."""

    def __init__(self, revisions: int) -> None:
        self._most = 1 + revisions
        self._case_id = ""
        self._reproduction: TestReport | None = None
        self._validated: list[tuple[tuple[Edit, ...], Validation]] = []

    def begin(self, case: Case, reproduction: TestReport) -> None:
        """The public failure was seen; an attempt that was given up before leaves nothing behind."""
        self._case_id, self._reproduction = case.case_id, reproduction
        self._validated = []

    def validated(self, case: Case, edits: tuple[Edit, ...], validation: Validation) -> None:
        """The parent's own record of a validation."""
        self._refuse_other(case.case_id)
        if len(self._validated) == self._most:
            raise Damaged(f"the worker validates case {case.case_id!r} more than the {self._most} times that it may")
        self._validated.append((edits, validation))

    def end(self, case_id: str, proposal: Proposal) -> tuple[TestReport, tuple[Validation, ...]]:
        """Close the attempt."""
        reproduction = self._refuse_other(case_id)
        last = self._validated[-1][0] if self._validated else ()
        if proposal.edits and proposal.edits != last:
            raise Damaged(f"the worker ends case {case_id!r} with edits that were not validated last")
        validations = tuple(validation for _, validation in self._validated)
        self._case_id, self._reproduction, self._validated = "", None, []
        return reproduction, validations

    def _refuse_other(self, case_id: str) -> TestReport:
        if self._reproduction is None or case_id != self._case_id:
            raise Damaged(f"the worker speaks of case {case_id!r}, the attempt going on is {self._case_id or 'none'!r}")
        return self._reproduction


def refuse_unasked(instructions: Mapping[str, str], systems: Sequence[str]) -> None:
    """Every request of an attempt must carry one of the instructions that the worker says the program had."""
    claimed = [_folded(text) for text in instructions.values()]
    for system in systems:
        if not any(text in _folded(system) for text in claimed):
            raise Damaged("the worker names instructions that its requests did not carry")


def _folded(text: str) -> str:
    return " ".join(text.split())
