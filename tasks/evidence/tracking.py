"""Tracking: what happened, in MLflow, for people to compare.

Takes    explicit run ids only; the fluent API keeps its active run in a thread and mixes up parallel runs.
Gives    one run an experiment, with a child run a stage and a candidate. A child says its fingerprint once everything
         about it is written; until then it is written again by whoever comes back.
Refuses  (Stopped) at `open`, a store that does not answer. Afterwards trouble is a line in `troubles`, never a score.
Source   measured with MLflow 3.17: the fluent API makes stray runs in pool threads.
Not covered  tracking is a view of the evidence and not the evidence: nothing reads a verdict back from here.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from tasks.evidence import orphans
from tasks.evidence.batches import unfit
from tasks.evidence.connection import connect
from tasks.evidence.home import Home
from tasks.evidence.inputs import dataset_inputs
from tasks.evidence.metrics import DIGITS
from tasks.evidence.runs import FINGERPRINT, PARENT, Child, Runs
from tasks.evidence.troubles import Troubles
from tasks.records.base import Record
from tasks.records.candidate import Discovery
from tasks.records.manifest import Manifest

if TYPE_CHECKING:
    import pandas as pd
    from mlflow import MlflowClient
    from mlflow.entities import Run

KIND, STAGE = "proveout.kind", "stage"
FLOW, FIRST_FLOW, FLOW_URL = "prefect.flow_run_id", "prefect.first_flow_run_id", "prefect.flow_run_url"
T = TypeVar("T")


class Tracker:
    """The experiment's run and its children. `run_id` is the experiment's run, once it is started."""

    def __init__(self, client: "MlflowClient", experiment_id: str) -> None:
        self.client, self.experiment_id = client, experiment_id
        self.run_id: str | None = None
        self._runs, self._troubles = Runs(client, experiment_id), Troubles()
        self._left: Run | None = None  # the experiment's run as an earlier process left it
        self._added = False

    @classmethod
    def open(cls, home: Home, experiment_name: str) -> Self:
        """Connect to MLFLOW_TRACKING_URI, or to the state folder's own store. Raises Stopped in one line."""
        return cls(*connect(home, experiment_name))

    @property
    def troubles(self) -> list[str]:
        """One line for everything that could not be tracked."""
        return self._troubles.lines

    def start_experiment(
        self,
        tags: Mapping[str, str],
        *,
        name: str = "experiment",
        resume: str | None = None,
        started_ms: int | None = None,
    ) -> str:
        """Start the experiment's run, or open the run `resume` again with its children; gives its id, '' on trouble."""
        own = {**tags, **orphans.process_tags(), KIND: "experiment"}
        if resume:
            self._left = self._troubles.attempt("start of the experiment", lambda: self._runs.reopen(resume))
            self.run_id = resume if self._left else None
            self.set_tags(own)
        else:
            self.run_id = self._troubles.attempt(
                "start of the experiment", lambda: self._runs.create(name, own, started_ms)
            )
        return self.run_id or ""

    def find_run(self, tags: Mapping[str, str]) -> str | None:
        """The newest experiment run that has all these tags."""
        wanted = {**tags, KIND: "experiment"}
        runs = self._troubles.attempt("search for a run", lambda: self._runs.search(wanted, max_results=1))
        return str(runs[0].info.run_id) if runs else None

    def has_stage(self, stage: str, fingerprint: str) -> bool:
        """Whether an earlier process has written this stage's run, and all of it."""
        return self._runs.has_child(self.run_id or "", stage, fingerprint)

    @contextmanager
    def stage(
        self, stage: str, fingerprint: str, *, started_ms: int | None = None, seconds: float | None = None
    ) -> Iterator[str]:
        """A stage's child run while it is written, '' on trouble; the same stage again writes the same run.

        It begins when the stage began and ends `seconds` later, however long the writing takes.
        """
        with self._child(stage, {KIND: STAGE, STAGE: stage}, fingerprint, started_ms, seconds) as run_id:
            yield run_id

    def candidate_run(self, number: int, discovery: Discovery, *, best: bool = False) -> str:
        """One ended child run for a candidate of the search, with its instructions as an artifact. '' on trouble."""
        candidate, name = discovery.candidate, f"candidate-{number}"
        tags = {KIND: "candidate", "surface": candidate.surface, "parent": discovery.parent or ""}
        found = {"dev/score": round(discovery.dev_score, DIGITS), "dev/metric_calls": float(discovery.metric_calls)}
        with self._child(name, tags | ({"best": "true"} if best else {}), candidate.fingerprint) as run_id:
            self.log_scores(found, run_id=run_id)
            self.log_record(candidate, "candidate.json", run_id=run_id)
        return run_id

    def log_scores(self, metrics: Mapping[str, float], *, run_id: str | None = None, step: int = 0) -> None:
        """Numbers, all with one timestamp; what is not finite is left out and noted."""
        self._note_unfit(metrics)
        self._on(run_id, "scores", lambda run: self._runs.write(run, metrics=metrics, step=step))

    def set_tags(self, tags: Mapping[str, str], *, run_id: str | None = None) -> None:
        """Tags; a text over `runs.MAX_VALUE_CHARS` (a note: MAX_NOTE_CHARS) becomes an artifact that the tag names."""
        self._on(run_id, "tags", lambda run: self._runs.write(run, tags=tags))

    def log_params(self, params: Mapping[str, object], *, run_id: str | None = None) -> None:
        """Params are immutable in MLflow; the same value again is fine."""
        self._on(run_id, "params", lambda run: self._runs.write(run, params=params))

    def link_flow(self, flow_run_id: str, flow_run_url: str | None = None) -> None:
        """Point from this run to the Prefect flow run that it belongs to now, and to the first one.

        `flow_run_url` is for a server that is still there tomorrow; an earlier run's address does not stay.
        """
        left = self._left.data.tags if self._left else {}
        first = left.get(FIRST_FLOW) or left.get(FLOW) or flow_run_id
        self.set_tags({FLOW: flow_run_id, FIRST_FLOW: first, **({FLOW_URL: flow_run_url} if flow_run_url else {})})
        if FLOW_URL in left and not flow_run_url:
            self._on(None, "tags", lambda run: self.client.delete_tag(run, FLOW_URL))

    def log_text(self, text: str, path: str, *, run_id: str | None = None) -> None:
        """A text artifact; the same path again is overwritten."""
        self._on(run_id, f"artifact {path}", lambda run: self.client.log_text(run, text, path))

    def log_record(self, record: Record, path: str, *, run_id: str | None = None) -> None:
        """A record as a JSON artifact, with its type and fingerprint."""
        self._on(run_id, f"artifact {path}", lambda run: self.client.log_text(run, _shown(record), path))

    def log_file(self, path: Path, folder: str | None = None, *, run_id: str | None = None) -> None:
        """A file that exists, such as a report or a picture."""
        self._on(run_id, f"artifact {path.name}", lambda run: self.client.log_artifact(run, str(path), folder))

    def log_frame(self, name: str, frame: "pd.DataFrame", *, run_id: str | None = None) -> None:
        """A frame as the table `<name>.json`, written whole: MLflow's own `log_table` would append on a resume."""

        def written(run: str) -> None:
            text = frame.to_json(orient="split", index=False, date_format="iso", double_precision=15, force_ascii=False)
            self.client.log_text(run, text, f"{name}.json")
            self._runs.mark_table(run, f"{name}.json")

        self._on(run_id, f"table {name}", written)

    def log_inputs(self, manifest: Manifest) -> None:
        """Train, dev and holdout as dataset inputs, without a word of any case."""
        self._on(None, "datasets", lambda run: self.client.log_inputs(run, datasets=dataset_inputs(manifest)))

    def finish(self, status: str = "FINISHED") -> None:
        """End the experiment's run: FINISHED, FAILED or KILLED. One to which nothing was added ended when it did."""
        left = self._left if not self._added else None
        if left is None or left.info.status != "FINISHED":
            ended = left.info.end_time if left else None
            self._on(None, "end of the experiment", lambda run: self.client.set_terminated(run, status, ended))

    def crash_orphans(self) -> list[str]:
        """End, as KILLED, our RUNNING runs on this host whose process is gone, and their children; gives their ids."""
        found = self._troubles.attempt("search for orphans", self._orphans) or []
        for run_id in found:
            self._on(run_id, "end of an orphan", lambda run: self.client.set_terminated(run, "KILLED"))
        return found

    def _orphans(self) -> list[str]:
        """Only an experiment's run says whose it is; a child goes with it, or with one that has ended already."""
        running = {str(run.info.run_id): run.data.tags for run in self._runs.search({}, status="RUNNING")}
        dead = {run_id for run_id, tags in running.items() if orphans.is_dead(tags)}
        alive = set(running) - dead
        return [run_id for run_id, tags in running.items() if run_id in dead or tags.get(PARENT, run_id) not in alive]

    @contextmanager
    def _child(
        self,
        name: str,
        tags: Mapping[str, str],
        fingerprint: str,
        started_ms: int | None = None,
        seconds: float | None = None,
    ) -> Iterator[str]:
        def opened(parent: str) -> Child:
            if self._left and self._left.info.status == "FINISHED" and not self._added:
                self.client.update_run(parent, status="RUNNING")
            self._added = True
            return self._runs.open_child(parent, name, tags, started_ms)

        before, whole = self._troubles.failures, ""
        child = self._on(None, f"run {name}", opened)
        try:
            yield child.run_id if child else ""
            whole = fingerprint if self._troubles.failures == before else ""
        finally:
            if child:
                self._on(child.run_id, f"end of run {name}", lambda _: self._runs.end_child(child, whole, seconds))

    def _on(self, run_id: str | None, what: str, call: Callable[[str], T]) -> T | None:
        """Call with a run's id, the experiment's unless another is named; without one there is nothing to write to."""
        run = self.run_id if run_id is None else run_id
        return self._troubles.attempt(what, lambda: call(run)) if run else None

    def _note_unfit(self, metrics: Mapping[str, float]) -> None:
        names = unfit(metrics)
        if names:
            self.troubles.append(f"not tracked: no finite value for {', '.join(names)}")


def _shown(record: Record) -> str:
    shown = {"record": type(record).__name__, FINGERPRINT: record.fingerprint, "body": record.body()}
    return json.dumps(shown, ensure_ascii=False, indent=2)
