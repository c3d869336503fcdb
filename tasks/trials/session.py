"""A pass: many attempts in one confined worker, then their independent grading and scores.

Takes    jobs (who, on which case, in which session), in the order in which they shall run.
Gives    attempts and failures, one of them a job; marks when graded. A failure is never a score.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tasks.records.attempt import Attempt, Grading
from tasks.records.base import Record
from tasks.records.candidate import Candidate
from tasks.records.case import Split
from tasks.records.errors import Damaged, SandboxTrouble
from tasks.records.scorecard import Failure, Marks, Scorecard
from tasks.scoring.repair_metric import score
from tasks.trials.clerk import Clerk, Job, failure
from tasks.trials.grader import Grader
from tasks.trials.laboratory import Laboratory
from tasks.worker.confined import serve
from tasks.worker.grading_broker import GradingBroker
from tasks.worker.model_broker import ModelBroker


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
        "tool_surface_version": lab.manifest.tool_surface_version,
        "candidates": {candidate.surface: candidate.body() for candidate in candidates},
        "cases": [case.body() for case in cases.values()],
        "jobs": [{"candidate": job.candidate, "case_id": job.case_id} for job in jobs],
    }
    serve(task, lab.sandbox, models, GradingBroker(cases, grader, clerk))
    if len(clerk.attempts) + len(clerk.failures) != len(jobs):
        done = f"{len(clerk.attempts)} attempts and {len(clerk.failures)} failures"
        raise Damaged(f"the worker ended with {done}, expected one of them for each of {len(jobs)} jobs")
    return Pass(attempts=tuple(clerk.attempts), failures=tuple(clerk.failures))


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
            job = Job(candidate=attempt.candidate, case_id=attempt.case_id, session=attempt.session, arm=attempt.arm)
            failures.append(failure(lab, job, split, result, attempt.usage.lm_calls))
        else:
            cards.append(scored(lab, attempt, result, split))
    gradings = {grading.fingerprint: grading for grading in results.values() if isinstance(grading, Grading)}
    return Marks(scorecards=tuple(cards), failures=tuple(failures)), tuple(gradings.values())


def scored(lab: Laboratory, attempt: Attempt, grading: Grading, split: Split) -> Scorecard:
    """The scorecard of one graded attempt."""
    case, seal = lab.corpus.case(attempt.case_id), lab.corpus.seal(attempt.case_id)
    return score(attempt, grading, case, seal.nodes, seal.control, split=split)
