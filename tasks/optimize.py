"""Optimize: search for a better program with train and dev cases, inside the confined worker.

Takes    a Baseline.
Gives    an Optimized: every accepted candidate, the best of them by dev score or None, and the optimizer's own log.
Refuses  a search without a proposal, and an account of it that what was graded here does not bear out (Damaged). A
         broken sandbox, provider or budget stops the run (Stopped); the same command replays bought replies and
         finished tests, and arrives at the same candidates.
Source   DESIGN.md, "One worker, two brokers": the worker gets train and dev cases as data, and nothing else.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tasks.records.attempt import Attempt, Proposal, TestReport, Validation
from tasks.records.candidate import Candidate, Search
from tasks.records.case import Case, Edit
from tasks.records.errors import Damaged, SandboxTrouble
from tasks.records.scorecard import Scorecard
from tasks.records.stages import Baseline, Optimized
from tasks.scoring.feedback import OPEN_COMPONENTS, feedback
from tasks.trials.attempt import assemble
from tasks.trials.attendance import Attendance, refuse_unasked
from tasks.trials.grader import Grader
from tasks.trials.laboratory import Laboratory
from tasks.trials.session import scored
from tasks.worker.confined import serve
from tasks.worker.grading_broker import GradingBroker
from tasks.worker.model_broker import REFLECTION, ModelBroker

VERSION = "1"
SESSION = "optimize"
TOLERANCE = 1e-9


def optimize(lab: Laboratory, before: Baseline) -> Optimized:
    """Run the manifest's optimizer to its budget."""
    manifest = lab.manifest
    train, dev = lab.cases("train"), lab.cases("dev")
    models = ModelBroker(lab.ledger, lab.lms(), lab.providers)
    grader = Grader(lab.benches, lab.store, lab.scope("optimize"), lab.plans)
    examiner = Examiner(lab, models, grader)
    task = {
        "task": "search",
        "lm": manifest.provider_config.lm.body(),
        "reflection_lm": manifest.provider_config.reflection_lm.body(),
        "runtime_policy": lab.runtime_policy(),
        "tool_surface_version": manifest.tool_surface_version,
        "optimizer": manifest.optimizer_config.body(),
        "seed_candidate": manifest.program_version.candidate.body(),
        "seed": manifest.seed,
        "train": [case.body() for case in train],
        "dev": [case.body() for case in dev],
    }
    cases = {case.case_id: case for case in (*train, *dev)}
    done = serve(task, lab.sandbox, models, GradingBroker(cases, grader, examiner))
    search = Search.model_validate(done["search"])
    refuse_unseen(search, manifest.program_version.candidate, manifest.dev_ids, examiner)
    lab.note("optimize", asked=grader.asked, computed=grader.computed)
    return Optimized(
        manifest=manifest.fingerprint,
        baseline=before.fingerprint,
        search=search,
        candidate=best_of(search),
        attempts=tuple(examiner.attempts),
        log=lab.store.put_bytes(str(done["log"]).encode()),
    )


def best_of(search: Search) -> Candidate | None:
    """The accepted candidate with the highest dev score, the earliest of equals; None when none beats the seed."""
    seed, *accepted = search.discoveries
    better = [found for found in accepted if found.dev_score > seed.dev_score]
    return max(better, key=lambda found: found.dev_score).candidate if better else None


class Examiner:
    """Grades the attempts of a search: score, components and feedback, as far as the spec lets reflection read."""

    def __init__(self, lab: Laboratory, models: ModelBroker, grader: Grader) -> None:
        self._lab, self._models, self._grader = lab, models, grader
        self._options = lab.manifest.optimizer_config
        self._splits = dict.fromkeys(lab.manifest.train_ids, "train") | dict.fromkeys(lab.manifest.dev_ids, "dev")
        self._attendance = Attendance(lab.manifest.budget.repair_revisions)
        # GEPA looks at its budget between iterations, so it may overshoot by one of them.
        self._most = self._options.max_metric_calls + 2 * self._options.minibatch + len(lab.manifest.dev_ids)
        self.attempts: list[str] = []
        self.totals: dict[str, dict[str, list[float]]] = {}

    def turn(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """A search has no turns; its attempts begin with their reproduction."""
        del frame
        return {}

    def begin(self, case: Case, reproduction: TestReport) -> None:
        """An attempt begins: what is asked from here on is asked for its case."""
        self._attendance.begin(case, reproduction)
        self._models.ask_as(SESSION, case.case_id)

    def validated(self, case: Case, edits: tuple[Edit, ...], validation: Validation) -> None:
        """The parent's own record of a validation."""
        self._attendance.validated(case, edits, validation)

    def ended(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """Grade one attempt; what is asked from here on is asked by reflection."""
        if len(self.attempts) == self._most:
            raise Damaged(f"the search has had {self._most} attempts graded and asks for more than its budget")
        attempt = self._attempt(frame)
        case, seal = self._lab.corpus.case(attempt.case_id), self._lab.corpus.seal(attempt.case_id)
        grading = self._grader.grade(case, seal, attempt.proposal.edits, times=1)
        split = self._splits[attempt.case_id]
        card = scored(self._lab, attempt, grading, "train" if split == "train" else "dev")
        self._lab.store.put(attempt)
        self.attempts.append(attempt.fingerprint)
        self.totals.setdefault(attempt.candidate, {}).setdefault(attempt.case_id, []).append(card.total)
        self._models.ask_as(SESSION, REFLECTION)
        self._lab.progress("metric calls", len(self.attempts), max(len(self.attempts), self._options.max_metric_calls))
        told = feedback(attempt, card, self._options.feedback)
        return {"score": card.total, "components": self._open(card), "feedback": told.text}

    def _open(self, card: Scorecard) -> dict[str, float]:
        """What the spec lets a search see beyond the total."""
        if self._options.feedback == "score":
            return {}
        return {part.name: part.value for part in card.components if part.name in OPEN_COMPONENTS}

    def _attempt(self, frame: Mapping[str, Any]) -> Attempt:
        proposal = Proposal.model_validate(frame["proposal"])
        reproduction, validations = self._attendance.end(str(frame["case_id"]), proposal)
        refuse_unasked(frame["instructions"], self._models.systems)
        seed = self._lab.manifest.program_version.candidate
        return assemble(
            frame,
            session=SESSION,
            arm="candidate",
            case=self._lab.corpus.case(str(frame["case_id"])),
            candidate=Candidate(program=seed.program, instructions=frame["instructions"]).surface,
            tool_calls=self._lab.manifest.budget.tool_calls,
            messages=self._models.messages,
            reproduction=reproduction,
            validations=validations,
            used=self._models.used,
        )

    def halted(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """A search cannot go on without a score; `broken` has raised before an honest worker gets here."""
        raise Damaged(f"the worker gives up a search: {str(frame.get('detail'))[:300]}")

    def broken(self, trouble: SandboxTrouble) -> dict[str, Any]:
        """A score that is missing would steer the search: stop, resumable."""
        raise trouble


def refuse_unseen(search: Search, seed: Candidate, dev_ids: tuple[str, ...], examiner: Examiner) -> None:
    """Hold the worker's account of its search against what was graded here.

    Raises Damaged unless the first candidate is the frozen seed, every candidate had every dev case graded under its
    own instructions, every dev score is the mean of those grades, and as many attempts were graded as it counts.
    """
    started = bool(search.discoveries) and search.discoveries[0].candidate == seed
    problems = [] if started else ["it did not start at the seed"]
    if search.metric_calls != len(examiner.attempts):
        problems.append(f"it counts {search.metric_calls} metric calls, {len(examiner.attempts)} attempts were graded")
    for number, found in enumerate(search.discoveries):
        graded = examiner.totals.get(found.candidate.surface, {})
        if not set(dev_ids) <= set(graded):
            problems.append(f"candidate {number} was not graded on every dev case")
        elif not any(abs(mean - found.dev_score) < TOLERANCE for mean in _means(graded, dev_ids)):
            problems.append(f"candidate {number} claims a dev score of {found.dev_score!r}")
    if problems:
        raise Damaged(f"the worker's account of the search does not hold: {'; '.join(problems)}")


def _means(graded: dict[str, list[float]], dev_ids: tuple[str, ...]) -> Iterator[float]:
    """The mean dev score of each whole pass; instructions that were found twice have had more than one."""
    passes = min(len(graded[case_id]) for case_id in dev_ids)
    for number in range(passes):
        yield sum(graded[case_id][number] for case_id in dev_ids) / len(dev_ids)
