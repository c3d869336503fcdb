"""Tracking: what happened, in MLflow, for people to compare.

Takes    explicit run ids only; the fluent API keeps its active run in a thread and mixes up parallel runs.
Gives    one run an experiment, with a child run a stage and a candidate.
Refuses  (Stopped) at `open`, a store that does not answer. Afterwards trouble is a line in `troubles`, never a score.
Source   measured with MLflow 3.17: the fluent API makes stray runs in pool threads.
Not covered  tracking is a view of the evidence and not the evidence: nothing reads a verdict back from here.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from tasks.evidence import orphans
from tasks.evidence.batches import unfit
from tasks.evidence.connection import connect
from tasks.evidence.home import Home
from tasks.evidence.inputs import dataset_inputs
from tasks.evidence.runs import Runs
from tasks.evidence.troubles import Troubles
from tasks.records.base import Record
from tasks.records.candidate import Discovery
from tasks.records.manifest import Manifest

if TYPE_CHECKING:
    import pandas as pd
    from mlflow import MlflowClient

KIND = "proveout.kind"
T = TypeVar("T")
STAGE, FINGERPRINT = "stage", "fingerprint"


class Tracker:
    """The experiment's run and its children. `run_id` is the experiment's run, once it is started."""

    def __init__(self, client: "MlflowClient", experiment_id: str) -> None:
        self.client, self.experiment_id = client, experiment_id
        self.run_id: str | None = None
        self._runs, self._troubles = Runs(client, experiment_id), Troubles()

    @classmethod
    def open(cls, home: Home, experiment_name: str) -> Self:
        """Connect to MLFLOW_TRACKING_URI, or to the state folder's own store. Raises Stopped in one line."""
        return cls(*connect(home, experiment_name))

    @property
    def troubles(self) -> list[str]:
        """One line for everything that could not be tracked."""
        return self._troubles.lines

    def start_experiment(self, tags: Mapping[str, str], *, name: str = "experiment", resume: str | None = None) -> str:
        """Start the experiment's run, or open the run `resume` again with its children; gives its id, '' on trouble."""
        own = {**tags, **orphans.process_tags(), KIND: "experiment"}
        if resume:
            self.run_id = self._troubles.attempt("start of the experiment", lambda: self._runs.reopen(resume))
            self.set_tags(own)
        else:
            self.run_id = self._troubles.attempt("start of the experiment", lambda: self._runs.create(name, own))
        return self.run_id or ""

    def find_run(self, tags: Mapping[str, str]) -> str | None:
        """The newest experiment run that has all these tags."""
        wanted = {**tags, KIND: "experiment"}
        runs = self._troubles.attempt("search for a run", lambda: self._runs.search(wanted, max_results=1))
        return str(runs[0].info.run_id) if runs else None

    def stage_run(
        self,
        stage: str,
        tags: Mapping[str, str] | None = None,
        metrics: Mapping[str, float] | None = None,
        params: Mapping[str, object] | None = None,
        *,
        status: str = "FINISHED",
        started_ms: int | None = None,
    ) -> str:
        """One ended child run for a stage; the same stage again, after a resume, writes the same run. '' on trouble."""
        own = {**(tags or {}), KIND: STAGE, STAGE: stage}
        return self._child(stage, own, metrics or {}, params or {}, status, started_ms)

    def candidate_run(
        self,
        number: int,
        discovery: Discovery,
        tags: Mapping[str, str] | None = None,
        metrics: Mapping[str, float] | None = None,
    ) -> str:
        """One ended child run for a candidate of the search, with its instructions as an artifact. '' on trouble."""
        candidate = discovery.candidate
        own = {"parent": discovery.parent or "", **(tags or {}), KIND: "candidate", FINGERPRINT: candidate.fingerprint}
        found = {"dev/score": discovery.dev_score, "dev/metric_calls": float(discovery.metric_calls), **(metrics or {})}
        run_id = self._child(f"candidate-{number}", own, found, {}, "FINISHED", None)
        if run_id:
            self.log_record(candidate, "candidate.json", run_id=run_id)
        return run_id

    def log_scores(self, metrics: Mapping[str, float], *, run_id: str | None = None, step: int = 0) -> None:
        """Numbers, all with one timestamp; what is not finite is left out and noted."""
        self._note_unfit(metrics)
        self._on(run_id, "scores", lambda run: self._runs.write(run, metrics=metrics, step=step))

    def set_tags(self, tags: Mapping[str, str], *, run_id: str | None = None) -> None:
        """Tags; a text over `runs.MAX_VALUE_CHARS` becomes an artifact that the tag points to."""
        self._on(run_id, "tags", lambda run: self._runs.write(run, tags=tags))

    def log_params(self, params: Mapping[str, object], *, run_id: str | None = None) -> None:
        """Params are immutable in MLflow; the same value again is fine."""
        self._on(run_id, "params", lambda run: self._runs.write(run, params=params))

    def link_flow(self, flow_run_id: str, flow_run_url: str | None = None) -> None:
        """Point from this run to the Prefect flow run that it belongs to."""
        self.set_tags({"prefect.flow_run_id": flow_run_id, "prefect.flow_run_url": flow_run_url or ""})

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
        """End the experiment's run: FINISHED, FAILED or KILLED."""
        self._on(None, "end of the experiment", lambda run: self.client.set_terminated(run, status))

    def crash_orphans(self) -> list[str]:
        """End, as KILLED, our RUNNING runs on this host whose process is gone; gives their ids."""
        found = self._troubles.attempt("search for orphans", self._orphans) or []
        for run_id in found:
            self._on(run_id, "end of an orphan", lambda run: self.client.set_terminated(run, "KILLED"))
        return found

    def _orphans(self) -> list[str]:
        host = orphans.process_tags()[orphans.HOST]
        running = self._runs.search({orphans.HOST: host}, status="RUNNING")
        return [str(run.info.run_id) for run in running if orphans.is_dead(run.data.tags)]

    def _child(
        self,
        name: str,
        tags: Mapping[str, str],
        metrics: Mapping[str, float],
        params: Mapping[str, object],
        status: str,
        started_ms: int | None,
    ) -> str:
        def written(parent: str) -> str:
            run_id = self._runs.child(parent, name, {**tags, **orphans.process_tags()}, started_ms)
            self._runs.write(run_id, metrics=metrics, params=params)
            self.client.set_terminated(run_id, status)
            return run_id

        self._note_unfit(metrics)
        return self._on(None, f"run {name}", written) or ""

    def _on(self, run_id: str | None, what: str, call: Callable[[str], T]) -> T | None:
        """Call with a run's id, the experiment's unless another is named; without one there is nothing to write to."""
        run = run_id or self.run_id
        return self._troubles.attempt(what, lambda: call(run)) if run else None

    def _note_unfit(self, metrics: Mapping[str, float]) -> None:
        names = unfit(metrics)
        if names:
            self.troubles.append(f"not tracked: no finite value for {', '.join(names)}")


def _shown(record: Record) -> str:
    shown = {"record": type(record).__name__, FINGERPRINT: record.fingerprint, "body": record.body()}
    return json.dumps(shown, ensure_ascii=False, indent=2)
