"""Runs: MLflow runs by explicit id. Raises whatever MLflow raises; `tracking` decides what that means."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tasks.evidence.batches import batches, named

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

PARENT = "mlflow.parentRunId"
TABLES = "mlflow.loggedArtifacts"  # how MLflow's page knows which JSON files are tables
MAX_VALUE_CHARS = 500  # MLflow cuts params at 6000 and tags at 8000 with a warning; longer texts become artifacts


class Runs:
    """The runs of one experiment."""

    def __init__(self, client: "MlflowClient", experiment_id: str) -> None:
        self.client, self.experiment_id = client, experiment_id
        self._children: dict[tuple[str, str], str] = {}
        self._tables: dict[str, list[str]] = {}

    def create(self, name: str, tags: Mapping[str, str], started_ms: int | None = None) -> str:
        """A RUNNING run; tags too long for MLflow follow in `write`."""
        short = {named(key): value for key, value in tags.items() if len(value) <= MAX_VALUE_CHARS}
        run = self.client.create_run(self.experiment_id, start_time=started_ms, tags=short, run_name=name)
        run_id = str(run.info.run_id)
        self.write(run_id, tags={key: value for key, value in tags.items() if len(value) > MAX_VALUE_CHARS})
        return run_id

    def reopen(self, run_id: str) -> str:
        """Make an ended run RUNNING again, and learn its children."""
        self.client.update_run(run_id, status="RUNNING")
        for child in self.search({PARENT: run_id}):
            self._children[run_id, str(child.info.run_name)] = str(child.info.run_id)
        return run_id

    def child(self, parent: str, name: str, tags: Mapping[str, str], started_ms: int | None = None) -> str:
        """The child run of that name: the one that is known, with its tags written anew, or a new one."""
        known = self._children.get((parent, name))
        if known is None:
            known = self.create(name, {**tags, PARENT: parent}, started_ms)
            self._children[parent, name] = known
        else:
            self.write(known, tags=tags)
        return known

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
        if len(value) <= MAX_VALUE_CHARS:
            return value
        path = f"texts/{named(place).replace(' ', '_').replace(':', '_')}.txt"
        self.client.log_text(run_id, value, path)
        return f"{len(value)} characters, see artifact {path}"
