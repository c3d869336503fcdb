"""A pass: many attempts in one confined worker, then their independent grading and scores.

Takes    jobs (who, on which case, in which session), in the order in which they shall run.
Gives    attempts and failures; marks when graded. A failure is never a score.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tasks.records.attempt import Arm, Attempt, Grading, TestReport, Validation
from tasks.records.base import Record
from tasks.records.candidate import Candidate
from tasks.records.case import Case, Split
from tasks.records.errors import SandboxTrouble
from tasks.records.scorecard import Failure, Marks, Scorecard
from tasks.scoring.repair_metric import score
from tasks.trials.attempt import assemble
from tasks.trials.grader import Grader
from tasks.trials.laboratory import Laboratory
from tasks.worker.confined import serve
from tasks.worker.grading_broker import GradingBroker
from tasks.worker.model_broker import ModelBroker


class Job(Record):
    """One attempt to be made."""

    candidate: str
    case_id: str
    session: str
    arm: Arm


class Pass(Record):
    """What a pass brought, in the order of its jobs."""

    attempts: tuple[Attempt, ...]
    failures: tuple[Failure, ...]


def attempts_on(
    lab: Laboratory,
    grader: Grader,
    split: Split,
    candidates: Sequence[Candidate],
    jobs: Sequence[Job],
    progress: str,
) -> Pass:
    """Run every job in one confined worker. Raises Stopped when the provider or the budget stops the run."""
    cases = {case.case_id: case for case in lab.cases(split)}
    models = ModelBroker(lab.ledger, lab.lms(), lab.providers)
    clerk = Clerk(lab, models, split, jobs, progress)
    task = {
        "task": "attempts",
        "lm": lab.manifest.provider_config.lm.body(),
        "runtime_policy": lab.runtime_policy(),
        "candidates": {candidate.surface: candidate.body() for candidate in candidates},
        "cases": [case.body() for case in cases.values()],
        "jobs": [job.body() for job in jobs],
    }
    serve(task, lab.sandbox, models, GradingBroker(cases, grader, clerk))
    return Pass(attempts=tuple(clerk.attempts), failures=tuple(clerk.failures))


class Clerk:
    """Writes attempts down as they end; tells the worker nothing about their worth."""

    def __init__(self, lab: Laboratory, models: ModelBroker, split: Split, jobs: Sequence[Job], progress: str) -> None:
        self._lab, self._models, self._split, self._progress = lab, models, split, progress
        self._jobs = list(jobs)
        self._turn = -1
        self._reproduction: TestReport | None = None
        self._validations: list[Validation] = []
        self.attempts: list[Attempt] = []
        self.failures: list[Failure] = []

    def turn(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """The next job begins."""
        del frame
        self._turn += 1
        job = self._jobs[self._turn]
        self._lab.progress(self._progress, self._turn, len(self._jobs))
        self._models.ask_as(job.session, f"{job.arm}/{job.case_id}")
        return {}

    def begin(self, case: Case, reproduction: TestReport) -> None:
        """The public failure was seen."""
        del case
        self._reproduction = reproduction
        self._validations = []

    def validated(self, validation: Validation) -> None:
        """The parent's own record of a validation."""
        self._validations.append(validation)

    def ended(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """An attempt has ended; it is stored before the next begins."""
        job = self._jobs[self._turn]
        if self._reproduction is None or frame["case_id"] != job.case_id:
            raise SandboxTrouble(f"the worker answered for {frame['case_id']!r} in the turn of {job.case_id!r}")
        attempt = assemble(
            frame,
            session=job.session,
            arm=job.arm,
            candidate=job.candidate,
            tool_calls=self._lab.manifest.budget.tool_calls,
            reproduction=self._reproduction,
            validations=tuple(self._validations),
            used=self._models.used,
        )
        self._lab.store.put(attempt)
        self.attempts.append(attempt)
        self._lab.progress(self._progress, self._turn + 1, len(self._jobs))
        return {}

    def halted(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """The sandbox broke under an attempt: a failure, not a score."""
        job = self._jobs[self._turn]
        group = self._lab.corpus.case(job.case_id).group
        self.failures.append(
            Failure(
                case_id=job.case_id,
                group=group,
                split=self._split,
                session=job.session,
                arm=job.arm,
                kind="sandbox",
                detail=str(frame["detail"])[:500],
            )
        )
        return {}

    def broken(self, trouble: SandboxTrouble) -> dict[str, Any]:
        """The worker learns that the sandbox is to blame, and goes on with its next job."""
        return {"halt": {"kind": "sandbox", "detail": str(trouble)}}


def graded(
    lab: Laboratory, grader: Grader, split: Split, done: Pass, times: int, progress: str
) -> tuple[Marks, tuple[Grading, ...]]:
    """Grade every distinct final tree `times` over, in parallel, and score every attempt."""
    wanted = {(attempt.case_id, attempt.proposal.fingerprint): attempt for attempt in done.attempts}
    finished = 0

    def grade(attempt: Attempt) -> Grading | SandboxTrouble:
        nonlocal finished
        case, seal = lab.corpus.case(attempt.case_id), lab.corpus.seal(attempt.case_id)
        try:
            return grader.grade(case, seal, attempt.proposal.edits, times)
        except SandboxTrouble as trouble:
            return trouble
        finally:
            finished += 1
            lab.progress(progress, finished, len(wanted))

    with ThreadPoolExecutor(max_workers=lab.manifest.concurrency) as pool:
        results = dict(zip(wanted, pool.map(grade, wanted.values()), strict=True))
    cards: list[Scorecard] = []
    failures = list(done.failures)
    for attempt in done.attempts:
        result = results[attempt.case_id, attempt.proposal.fingerprint]
        if isinstance(result, SandboxTrouble):
            failures.append(_failure(lab, attempt, split, result))
        else:
            cards.append(scored(lab, attempt, result, split))
    gradings = {grading.fingerprint: grading for grading in results.values() if isinstance(grading, Grading)}
    return Marks(scorecards=tuple(cards), failures=tuple(failures)), tuple(gradings.values())


def scored(lab: Laboratory, attempt: Attempt, grading: Grading, split: Split) -> Scorecard:
    """The scorecard of one graded attempt."""
    case, seal = lab.corpus.case(attempt.case_id), lab.corpus.seal(attempt.case_id)
    return score(attempt, grading, case, seal.nodes, seal.control, split=split)


def _failure(lab: Laboratory, attempt: Attempt, split: Split, trouble: SandboxTrouble) -> Failure:
    return Failure(
        case_id=attempt.case_id,
        group=lab.corpus.case(attempt.case_id).group,
        split=split,
        session=attempt.session,
        arm=attempt.arm,
        kind="sandbox",
        detail=str(trouble)[:500],
    )
