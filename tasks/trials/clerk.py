"""The clerk: what the parent writes down while a worker makes its attempts.

Takes    the jobs, in their order, and the events that the brokers see.
Gives    one attempt or one failure a job.
Refuses  (Damaged) a worker that breaks the order of a job, or gives one up though no sandbox broke under it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.records.attempt import Arm, Attempt, Proposal, TestReport, Validation
from tasks.records.base import Record
from tasks.records.case import Case, Edit, Split
from tasks.records.errors import Damaged, SandboxTrouble
from tasks.records.scorecard import Failure
from tasks.trials.attempt import assemble
from tasks.trials.attendance import Attendance, refuse_unasked
from tasks.trials.laboratory import Laboratory
from tasks.worker.model_broker import ModelBroker


class Job(Record):
    """One attempt to be made."""

    candidate: str
    case_id: str
    session: str
    arm: Arm


class Clerk:
    """Writes attempts down as they end; tells the worker nothing about their worth."""

    def __init__(self, lab: Laboratory, models: ModelBroker, split: Split, jobs: Sequence[Job], progress: str) -> None:
        self._lab, self._models, self._split, self._progress = lab, models, split, progress
        self._waiting, self._of = iter(jobs), len(jobs)
        self._job: Job | None = None
        self._attendance = Attendance(lab.manifest.budget.repair_revisions)
        self._trouble: SandboxTrouble | None = None
        self.attempts: list[Attempt] = []
        self.failures: list[Failure] = []

    def turn(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """The next job begins; the worker learns which program and case, never which arm."""
        del frame
        job = next(self._waiting, None)
        if job is None:
            raise Damaged("the worker wants more turns than it has jobs")
        self._job = job
        self._models.ask_as(job.session, f"{job.arm}/{job.case_id}")
        return {}

    def begin(self, case: Case, reproduction: TestReport) -> None:
        """The public failure was seen."""
        self._attendance.begin(case, reproduction)

    def validated(self, case: Case, edits: tuple[Edit, ...], validation: Validation) -> None:
        """The parent's own record of a validation."""
        self._attendance.validated(case, edits, validation)

    def ended(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """An attempt has ended; it is stored before the next begins."""
        job = self._present(frame)
        reproduction, validations = self._attendance.end(job.case_id, Proposal.model_validate(frame["proposal"]))
        refuse_unasked(frame["instructions"], self._models.systems)
        attempt = assemble(
            frame,
            session=job.session,
            arm=job.arm,
            case=self._lab.corpus.case(job.case_id),
            candidate=job.candidate,
            tool_calls=self._lab.manifest.budget.tool_calls,
            messages=self._models.messages,
            reproduction=reproduction,
            validations=validations,
            used=self._models.used,
        )
        self._lab.store.put(attempt)
        self.attempts.append(attempt)
        self._done()
        return {}

    def halted(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """The sandbox broke under an attempt: a failure, not a score, and only when the parent saw it break."""
        job = self._present(frame)
        if self._trouble is None:
            raise Damaged(
                f"the worker gives up case {job.case_id!r}, but no sandbox broke: {frame.get('detail')!r:.300}"
            )
        calls = self._models.used["lm_calls"]
        self.failures.append(failure(self._lab, job, self._split, self._trouble, calls))
        self._trouble = None
        self._done()
        return {}

    def broken(self, trouble: SandboxTrouble) -> dict[str, Any]:
        """The worker learns that the sandbox is to blame, and goes on with its next job."""
        self._trouble = trouble
        return {"halt": {"kind": "sandbox", "detail": str(trouble)}}

    def _present(self, frame: Mapping[str, Any]) -> Job:
        if self._job is None or frame["case_id"] != self._job.case_id:
            raise Damaged(f"the worker speaks of case {frame['case_id']!r} in the turn of another")
        return self._job

    def _done(self) -> None:
        self._job = None
        self._lab.progress(self._progress, len(self.attempts) + len(self.failures), self._of)


def failure(lab: Laboratory, job: Job, split: Split, trouble: SandboxTrouble, lm_calls: int) -> Failure:
    """What is written down in the place of a score."""
    return Failure(
        case_id=job.case_id,
        group=lab.corpus.case(job.case_id).group,
        split=split,
        session=job.session,
        arm=job.arm,
        kind="sandbox",
        detail=str(trouble)[:500],
        lm_calls=lm_calls,
    )
