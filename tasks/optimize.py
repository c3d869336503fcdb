"""Optimize: search for a better program with train and dev cases, inside the confined worker.

Takes    a Baseline.
Gives    an Optimized: every accepted candidate, the best of them by dev score or None, and the optimizer's own log.
Refuses  a search without a proposal (Damaged). A broken sandbox, provider or budget stops the run (Stopped); the same
         command replays bought replies and finished tests, and arrives at the same candidates.
Source   DESIGN.md, "One worker, two brokers": the worker gets train and dev cases as data, and nothing else.
"""

from collections.abc import Mapping
from typing import Any

from tasks.records.attempt import Attempt, TestReport, Validation
from tasks.records.candidate import Candidate, Search
from tasks.records.case import Case
from tasks.records.errors import SandboxTrouble
from tasks.records.stages import Baseline, Optimized
from tasks.scoring.feedback import feedback
from tasks.trials.attempt import assemble
from tasks.trials.grader import Grader
from tasks.trials.laboratory import Laboratory
from tasks.trials.session import scored
from tasks.worker.confined import serve
from tasks.worker.grading_broker import GradingBroker
from tasks.worker.model_broker import REFLECTION, ModelBroker

VERSION = "1"
SESSION = "optimize"


def optimize(lab: Laboratory, before: Baseline) -> Optimized:
    """Run the manifest's optimizer to its budget."""
    manifest = lab.manifest
    train, dev = lab.cases("train"), lab.cases("dev")
    models = ModelBroker(lab.ledger, lab.lms(), lab.providers)
    grader = Grader(lab.bench, lab.store, lab.scope("optimize"))
    examiner = Examiner(lab, models, grader)
    task = {
        "task": "search",
        "lm": manifest.provider_config.lm.body(),
        "reflection_lm": manifest.provider_config.reflection_lm.body(),
        "runtime_policy": lab.runtime_policy(),
        "optimizer": manifest.optimizer_config.body(),
        "seed_candidate": manifest.program_version.candidate.body(),
        "seed": manifest.seed,
        "train": [case.body() for case in train],
        "dev": [case.body() for case in dev],
    }
    cases = {case.case_id: case for case in (*train, *dev)}
    done = serve(task, lab.sandbox, models, GradingBroker(cases, grader, examiner))
    search = Search.model_validate(done["search"])
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
        self._splits = dict.fromkeys(lab.manifest.train_ids, "train") | dict.fromkeys(lab.manifest.dev_ids, "dev")
        self._reproduction: TestReport | None = None
        self._validations: list[Validation] = []
        self.attempts: list[str] = []

    def turn(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """A search has no turns; its attempts begin with their reproduction."""
        del frame
        return {}

    def begin(self, case: Case, reproduction: TestReport) -> None:
        """An attempt begins: what is asked from here on is asked for its case."""
        self._reproduction = reproduction
        self._validations = []
        self._models.ask_as(SESSION, case.case_id)

    def validated(self, validation: Validation) -> None:
        """The parent's own record of a validation."""
        self._validations.append(validation)

    def ended(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """Grade one attempt; what is asked from here on is asked by reflection."""
        attempt = self._attempt(frame)
        case, seal = self._lab.corpus.case(attempt.case_id), self._lab.corpus.seal(attempt.case_id)
        grading = self._grader.grade(case, seal, attempt.proposal.edits, times=1)
        split = self._splits[attempt.case_id]
        card = scored(self._lab, attempt, grading, "train" if split == "train" else "dev")
        self._lab.store.put(attempt)
        self.attempts.append(attempt.fingerprint)
        self._models.ask_as(SESSION, REFLECTION)
        done = len(self.attempts)
        self._lab.progress("metric calls", done, max(done, self._lab.manifest.optimizer_config.max_metric_calls))
        told = feedback(attempt, card, self._lab.manifest.optimizer_config.feedback)
        components = {component.name: component.value for component in card.components if component.weight}
        return {"score": card.total, "components": components, "feedback": told.text}

    def _attempt(self, frame: Mapping[str, Any]) -> Attempt:
        if self._reproduction is None:
            raise SandboxTrouble("the worker ended an attempt that it never began")
        return assemble(
            frame,
            session=SESSION,
            arm="candidate",
            candidate=self._surface(frame),
            tool_calls=self._lab.manifest.budget.tool_calls,
            reproduction=self._reproduction,
            validations=tuple(self._validations),
            used=self._models.used,
        )

    def _surface(self, frame: Mapping[str, Any]) -> str:
        seed = self._lab.manifest.program_version.candidate
        return Candidate(program=seed.program, instructions=frame["instructions"]).surface

    def halted(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """A search cannot go on without a score."""
        raise SandboxTrouble(str(frame.get("detail")))

    def broken(self, trouble: SandboxTrouble) -> dict[str, Any]:
        """A score that is missing would steer the search: stop, resumable."""
        raise trouble
