"""Runs: MLflow runs by explicit id. Raises whatever MLflow raises; `tracking` decides what that means."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tasks.evidence.batches import batches, named

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

PARENT = "mlflow.parentRunId"
NOTE = "mlflow.note.content"  # MLflow's page shows it as the run's description, in Markdown
FINGERPRINT = "fingerprint"
TABLES = "mlflow.loggedArtifacts"  # how MLflow's page knows which JSON files are tables
MAX_VALUE_CHARS = 500  # MLflow cuts params at 6000 and tags at 8000 with a warning; longer texts become artifacts
MAX_NOTE_CHARS = 8000


@dataclass(frozen=True)
class Child:
    """A child run; `whole` is the fingerprint of what it shows, and empty until everything about it is written."""

    run_id: str
    started_ms: int
    whole: str = ""


class Runs:
    """The runs of one experiment."""

    def __init__(self, client: "MlflowClient", experiment_id: str) -> None:
        self.client, self.experiment_id = client, experiment_id
        self._children: dict[tuple[str, str], Child] = {}
        self._tables: dict[str, list[str]] = {}

    def create(self, name: str, tags: Mapping[str, str], started_ms: int | None = None) -> str:
        """A RUNNING run; tags too long for MLflow follow in `write`."""
        short = {named(key): value for key, value in tags.items() if len(value) <= MAX_VALUE_CHARS}
        run = self.client.create_run(self.experiment_id, start_time=started_ms, tags=short, run_name=name)
        run_id = str(run.info.run_id)
        self.write(run_id, tags={key: value for key, value in tags.items() if len(value) > MAX_VALUE_CHARS})
        return run_id

    def reopen(self, run_id: str) -> "Run":
        """The run as it was left, and its children learned. One that is not finished is RUNNING again."""
        left = self.client.get_run(run_id)
        for child in self.search({PARENT: run_id}):
            whole = child.data.tags.get(FINGERPRINT, "") if child.info.status == "FINISHED" else ""
            known = Child(str(child.info.run_id), int(child.info.start_time), whole)
            self._children[run_id, str(child.info.run_name)] = known
        if left.info.status != "FINISHED":
            self.client.update_run(run_id, status="RUNNING")
        return left

    def has_child(self, parent: str, name: str, whole: str) -> bool:
        """Whether the child of that name shows this fingerprint, and all of it."""
        known = self._children.get((parent, name))
        return known is not None and known.whole == whole

    def open_child(self, parent: str, name: str, tags: Mapping[str, str], started_ms: int | None = None) -> Child:
        """The child run of that name: the one that is known, with its tags written anew, or a new one."""
        known = self._children.get((parent, name))
        if known is None:
            started = started_ms or int(time.time() * 1000)
            known = Child(self.create(name, {**tags, PARENT: parent}, started), started)
            self._children[parent, name] = known
        else:
            self.write(known.run_id, tags=tags)
        return known

    def end_child(self, child: Child, whole: str, seconds: float | None = None) -> None:
        """End it, `seconds` after its start where they are known, and say what it shows when all of it is written."""
        metrics = {} if seconds is None else {"seconds": seconds}
        self.write(child.run_id, metrics=metrics, tags={FINGERPRINT: whole} if whole else {})
        ended = None if seconds is None else child.started_ms + round(seconds * 1000)
        self.client.set_terminated(child.run_id, "FINISHED", ended)

    def write(
        self,
        run_id: str,
        *,
        metrics: Mapping[str, float] | None = None,
        params: Mapping[str, object] | None = None,
        tags: Mapping[str, str] | None = None,
        step: int = 0,
    ) -> None:
        """Metrics, params and tags in as few calls as can be."""
        short_params = {key: self._fitted(run_id, f"params/{key}", str(value)) for key, value in (params or {}).items()}
        short_tags = {key: self._fitted(run_id, f"tags/{key}", value) for key, value in (tags or {}).items()}
        for batch in batches(metrics or {}, short_params, short_tags, step):
            self.client.log_batch(run_id, metrics=batch.metrics, params=batch.params, tags=batch.tags)

    def mark_table(self, run_id: str, path: str) -> None:
        """Tell MLflow's page that this JSON artifact is a table."""
        if run_id not in self._tables:
            listed = json.loads(self.client.get_run(run_id).data.tags.get(TABLES, "[]"))
            self._tables[run_id] = [str(entry["path"]) for entry in listed]
        if path not in self._tables[run_id]:
            self._tables[run_id].append(path)
            listed = [{"path": known, "type": "table"} for known in self._tables[run_id]]
            self.client.set_tag(run_id, TABLES, json.dumps(listed))

    def search(self, tags: Mapping[str, str], status: str = "", max_results: int = 1000) -> list["Run"]:
        """Runs that have all these tags, newest first."""
        clauses = [f"tags.`{key}` = '{value.replace(chr(39), '')}'" for key, value in tags.items()]
        if status:
            clauses.append(f"attributes.status = '{status}'")
        return list(
            self.client.search_runs(
                [self.experiment_id],
                filter_string=" and ".join(clauses),
                max_results=max_results,
                order_by=["attributes.start_time DESC"],
            )
        )

    def _fitted(self, run_id: str, place: str, value: str) -> str:
        if len(value) <= (MAX_NOTE_CHARS if place == f"tags/{NOTE}" else MAX_VALUE_CHARS):
            return value
        path = f"texts/{named(place).replace(' ', '_').replace(':', '_')}.txt"
        self.client.log_text(run_id, value, path)
        return f"{len(value)} characters, see artifact {path}"
