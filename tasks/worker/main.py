"""The confined worker's own program: `python -m tasks.worker.main`, started by the parent and by nobody else.

Takes    one task over the pipe: attempts on cases, or a search; cases are data, holdout cases never come with a search.
Gives    one frame an attempt, then a frame `done`.
Refuses  to run without its pipes, or with other tools than the ones that were frozen.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import dspy

from tasks.optimizers.gepa import Searched, search
from tasks.program.build import build
from tasks.records.candidate import Candidate, Discovery, Search
from tasks.records.case import Case
from tasks.records.protocols import Halt
from tasks.records.spec import LM, OptimizerSpec
from tasks.worker.clients import BrokerEngine, Brokers, RemoteWorkshop
from tasks.worker.tools import SnapshotTools, assert_our_surface
from tasks.worker.wire import Channel


def main() -> None:
    """Serve one task, then end."""
    reader = os.fdopen(int(os.environ["PROVEOUT_READ_FD"]), "rb")
    writer = os.fdopen(int(os.environ["PROVEOUT_WRITE_FD"]), "wb")
    channel = Channel(reader, writer)
    brokers = Brokers(channel)
    task = channel.receive()
    assert_our_surface(task["tool_surface_version"])
    with dspy.context(lm=language_model(task["lm"], brokers), adapter=dspy.ChatAdapter(), disable_history=True):
        done = {"attempts": run_attempts, "search": run_search}[task["task"]](task, brokers)
    channel.send({"op": "done", **done})


def language_model(config: Mapping[str, Any], brokers: Brokers) -> dspy.LM:
    """A dspy.LM whose engine is the model broker; no cache and no retries here, the ledger has both."""
    lm = LM.model_validate(config)
    return dspy.LM(
        lm.name,
        engine=BrokerEngine(brokers),
        temperature=lm.temperature,
        max_tokens=lm.max_tokens,
        cache=False,
        num_retries=0,
    )


def workshop_of(case: Case, brokers: Brokers, tool_calls: int) -> RemoteWorkshop:
    """The case's tools, bound to its snapshot; no root, no path of this machine."""
    return RemoteWorkshop(case, SnapshotTools(case.repo), brokers, tool_calls)


def run_attempts(task: Mapping[str, Any], brokers: Brokers) -> dict[str, Any]:
    """One attempt after the other, in the order of the task."""
    candidates = {name: Candidate.model_validate(body) for name, body in task["candidates"].items()}
    programs = {name: build(candidate, task["runtime_policy"]) for name, candidate in candidates.items()}
    cases = {body["case_id"]: Case.model_validate(body) for body in task["cases"]}
    for job in task["jobs"]:
        case = cases[job["case_id"]]
        workshop = workshop_of(case, brokers, task["runtime_policy"]["tool_calls"])
        brokers.ask("turn", **job)
        try:
            prediction = programs[job["candidate"]](issue=case.issue, constraints=case.constraints, workshop=workshop)
        except Halt as halt:  # the sandbox broke under this attempt; the next one may fare better
            brokers.ask("halted", case_id=case.case_id, kind=halt.kind, detail=halt.detail)
            continue
        brokers.ask("ended", **_ended(prediction, workshop, brokers))
    return {}


def _ended(prediction: dspy.Prediction, workshop: RemoteWorkshop, brokers: Brokers) -> dict[str, Any]:
    return {
        "case_id": workshop.case_id,
        "proposal": prediction.proposal,
        "evidence": prediction.evidence,
        "instructions": prediction.instructions,
        "lm_calls": brokers.lm_calls - workshop.lm_calls_before,
    }


def run_search(task: Mapping[str, Any], brokers: Brokers) -> dict[str, Any]:
    """GEPA over train and dev cases."""
    options = OptimizerSpec.model_validate(task["optimizer"])
    seed = Candidate.model_validate(task["seed_candidate"])
    tool_calls = task["runtime_policy"]["tool_calls"]
    metric = Metric(brokers, shuffled=[case["case_id"] for case in task["train"]] if options.placebo else [])
    searched = search(
        build(seed, task["runtime_policy"]),
        train=[_example(body, brokers, tool_calls) for body in task["train"]],
        dev=[_example(body, brokers, tool_calls) for body in task["dev"]],
        metric=metric,
        reflection_lm=language_model(task["reflection_lm"], brokers),
        options=options,
        seed=task["seed"],
    )
    return {"search": _as_record(searched, seed, options).body(), "log": searched.log}


def _example(body: Mapping[str, Any], brokers: Brokers, tool_calls: int) -> dspy.Example:
    case = Case.model_validate(body)
    made = dspy.Example(issue=case.issue, constraints=case.constraints, workshop=workshop_of(case, brokers, tool_calls))
    return made.with_inputs("issue", "constraints", "workshop")


def _as_record(searched: Searched, seed: Candidate, options: OptimizerSpec) -> Search:
    discoveries: list[Discovery] = []
    for found in searched.found:
        parent = None if found.parent is None else discoveries[found.parent].candidate.fingerprint
        candidate = seed.model_copy(
            update={"instructions": found.instructions, "parents": () if parent is None else (parent,)}
        )
        discoveries.append(
            Discovery(candidate=candidate, dev_score=found.dev_score, metric_calls=found.metric_calls, parent=parent)
        )
    return Search(
        optimizer=options.name,
        discoveries=tuple(discoveries),
        proposals=searched.proposals,
        metric_calls=searched.metric_calls,
        best=searched.best,
    )


class Metric:
    """GEPA's five-argument metric; the score comes from the grading broker, once a prediction.

    Cases in `shuffled` are told each other's feedback, in turn: what then still rises is not learned from feedback.
    """

    def __init__(self, brokers: Brokers, shuffled: Sequence[str]) -> None:
        self._brokers, self._shuffled = brokers, sorted(shuffled)
        self._heard: dict[str, str] = {}

    def __call__(
        self,
        gold: dspy.Example,
        pred: dspy.Prediction,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> dspy.Prediction:
        del trace, pred_trace
        case_id = gold.workshop.case_id
        if "graded" not in pred:
            pred["graded"] = self._brokers.ask("ended", **_ended(pred, gold.workshop, self._brokers))
        graded = pred["graded"]
        self._heard[case_id] = graded["feedback"]
        feedback = self._heard[self._told_about(case_id)] if pred_name else graded["feedback"]
        return dspy.Prediction(score=graded["score"], feedback=feedback, objective_scores=graded["components"])

    def _told_about(self, case_id: str) -> str:
        known = [name for name in self._shuffled if name in self._heard]
        return known[(known.index(case_id) + 1) % len(known)] if case_id in known else case_id


if __name__ == "__main__":
    main()
