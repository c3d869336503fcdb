"""Publishing: what each stage shows in MLflow and in Prefect. Both come after the store; neither can change a score.

Takes    the record of a stage, and how the stage was taken.
Gives    one line in the tracker's `troubles` for whatever could not be shown; it never raises, so it never stops a run.
         Scores stand on the experiment's own run; a stage's run has its seconds, its fingerprint and its files. What an
         earlier process has shown is not written again; Prefect shows its tables on every flow run.
Not covered  attempts on holdout cases are not published: their text stays in the store.
"""

import getpass
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

from prefect import runtime
from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact

from flows import pages
from flows.stages import Taken
from tasks.evidence.connection import one_line
from tasks.evidence.metrics import DIGITS, comparison_scores, mean_scores
from tasks.evidence.runs import NOTE
from tasks.evidence.tables import failures_frame, paired_frame, scorecards_frame
from tasks.evidence.tracking import Tracker
from tasks.evidence.troubles import Troubles
from tasks.records.attempt import Attempt
from tasks.records.base import Record
from tasks.records.manifest import Manifest
from tasks.records.scorecard import Marks
from tasks.records.stages import Audited, Baseline, Optimized, Paired, Proven
from tasks.records.verdict import Decision
from tasks.trials.laboratory import Laboratory

P = ParamSpec("P")


def never_stops(publish: "Callable[Concatenate[Publisher, P], None]") -> "Callable[Concatenate[Publisher, P], None]":
    """Whatever goes wrong while something is shown is a line in `troubles`; interrupts pass."""

    @wraps(publish)
    def published(self: "Publisher", /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            publish(self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the evidence is in the store, whatever the pages say
            self.troubles.append(f"not published: {publish.__name__}: {one_line(error)}")

    return published


class Publisher:
    """Tells MLflow and Prefect about stages. No link to Prefect when its server is `embedded` and ends with the run."""

    def __init__(self, tracker: Tracker, *, embedded: bool) -> None:
        self._tracker, self._embedded = tracker, embedded
        self._prefect = Troubles("Prefect", tracker.troubles)
        self._title = ""

    @property
    def troubles(self) -> list[str]:
        """The tracker's own list: everything that could not be shown, whoever would have shown it."""
        return self._tracker.troubles

    @never_stops
    def manifest(self, manifest: Manifest, taken: Taken) -> None:
        """From here on there is a run in MLflow: the one that an earlier run of this manifest began, or a new one."""
        self._title = pages.title(manifest)
        tags = {"proveout.manifest": manifest.fingerprint, "dataset": manifest.dataset_fingerprint}
        self._tracker.start_experiment(
            tags | _origin(), name=self._title, resume=self._tracker.find_run(tags), started_ms=taken.started_ms
        )
        self._tracker.link_flow(str(runtime.flow_run.id or ""), None if self._embedded else runtime.flow_run.ui_url)

        def write(_: str) -> None:
            self._tracker.log_record(manifest, "manifest.json")
            self._tracker.log_inputs(manifest)
            self._tracker.log_params(pages.settings(manifest))

        self._stage(manifest, taken, {}, write)
        self._point_to_mlflow()

    @never_stops
    def proven(self, proven: Proven, taken: Taken) -> None:
        """The control table."""
        held = sum(row.held for row in proven.rows)
        self._stage(proven, taken, {"control/rows": float(len(proven.rows)), "control/held": float(held)})
        self._table("control", pages.control_rows(proven), f"{held} of {len(proven.rows)} held")

    @never_stops
    def baseline(self, before: Baseline, taken: Taken, lab: Laboratory) -> None:
        """Scores of the seed program on dev."""
        scores = mean_scores("baseline", "dev", before.marks) | {
            "baseline/dev/noise_floor": before.noise_floor,
            "baseline/dev/minimum_detectable_effect": before.minimum_detectable_effect,
            "calibration/declared_effect": before.calibration.effect,
            "calibration/detectable_effect": before.calibration.detectable,
        }

        def write(run: str) -> None:
            self._marks("baseline", before.marks, run)
            self._attempts(lab, before.attempts, run)

        self._stage(before, taken, scores, write)
        self._table("baseline", pages.baseline_rows(before.marks), "the seed program on dev")

    @never_stops
    def optimized(self, optimized: Optimized, taken: Taken, lab: Laboratory) -> None:
        """Every accepted candidate as a child run; the optimizer's own log as an artifact."""
        search = optimized.search
        scores = {
            "optimize/proposals": float(search.proposals),
            "optimize/accepted": float(search.accepted),
            "optimize/metric_calls": float(search.metric_calls),
            "candidate/dev/score": round(max(found.dev_score for found in search.discoveries), DIGITS),
        }

        def write(run: str) -> None:
            for number, discovery in enumerate(search.discoveries):
                self._tracker.candidate_run(number, discovery, best=number == search.best)
            if optimized.candidate is not None:
                self._tracker.log_record(optimized.candidate, "candidate.json")
            self._tracker.log_text(lab.store.get_bytes(optimized.log).decode(), "optimizer.log", run_id=run)
            self._attempts(lab, optimized.attempts, run)

        self._stage(optimized, taken, scores, write)
        found = f"{search.accepted} of {search.proposals} proposals accepted"
        self._table("candidates", pages.candidate_rows(search), found)

    @never_stops
    def audited(self, audited: Audited, taken: Taken) -> None:
        """The integrity checks."""
        checks = audited.audit.checks
        failed = sum(not check.passed for check in checks)
        self._stage(audited, taken, {"audit/failed_checks": float(failed)})
        self._table("audit", [check.body() for check in checks], f"{failed} of {len(checks)} checks failed")

    @never_stops
    def paired(self, paired: Paired, taken: Taken) -> None:
        """Both arms on the holdout and their difference: ids and scores, no text."""
        scores = {
            **mean_scores("baseline", "holdout", paired.marks),
            **mean_scores("candidate", "holdout", paired.marks),
            **comparison_scores(paired.comparison),
        }

        def write(run: str) -> None:
            self._marks("holdout", paired.marks, run)
            self._tracker.log_frame("scores/holdout", paired_frame(paired.marks))
            self._tracker.log_record(paired.comparison, "comparison.json")

        self._stage(paired, taken, scores, write)
        self._table("holdout", pages.holdout_rows(paired.marks), pages.holdout_line(paired))

    @never_stops
    def decision(self, decision: Decision, taken: Taken) -> None:
        """The recommendation: a page in Prefect, the run's description and an artifact in MLflow."""
        page = pages.recommendation(decision)

        def write(_: str) -> None:
            self._tracker.log_record(decision, "decision.json")
            self._tracker.set_tags(
                {
                    "verdict": decision.verdict,
                    "proveout.decision": decision.fingerprint,
                    "proveout.candidate": decision.candidate,
                    "evidence_class": decision.evidence_class,
                    "proveout.underpowered": str(decision.underpowered).lower(),
                    NOTE: page,
                }
            )

        self._stage(decision, taken, {}, write)
        self._show(
            "recommendation", lambda about: create_markdown_artifact(page, "recommendation", about), decision.verdict
        )

    def _stage(
        self, record: Record, taken: Taken, scores: dict[str, float], write: Callable[[str], None] = lambda _: None
    ) -> None:
        """What an earlier process has shown of the same record stays as it is."""
        fingerprint = record.fingerprint
        if self._tracker.has_stage(taken.name, fingerprint):
            return
        with self._tracker.stage(taken.name, fingerprint, started_ms=taken.started_ms, seconds=taken.seconds) as run:
            if scores:
                self._tracker.log_scores(scores)
            write(run)

    def _marks(self, name: str, marks: Marks, run: str) -> None:
        self._tracker.log_frame(f"scorecards/{name}", scorecards_frame(marks))
        if marks.failures:
            frame = failures_frame(marks)  # what an error quotes may be a case's text
            shown = frame.drop(columns="detail") if name == "holdout" else frame
            self._tracker.log_frame(f"failures/{name}", shown, run_id=run)

    def _attempts(self, lab: Laboratory, names: tuple[str, ...], run: str) -> None:
        lines = (lab.store.get(name, Attempt).model_dump_json() for name in dict.fromkeys(names))
        self._tracker.log_text("\n".join(lines) + "\n", "attempts.jsonl", run_id=run)

    def _point_to_mlflow(self) -> None:
        run_id, experiment_id = self._tracker.run_id, self._tracker.experiment_id
        if not run_id:
            return
        url = pages.mlflow_url(str(self._tracker.client.tracking_uri), experiment_id, run_id)
        page = pages.mlflow_pointer(experiment_id, run_id)
        self._show(
            "mlflow-run",
            lambda about: (
                create_link_artifact(url, f"MLflow run {run_id}", "mlflow-run", about)
                if url
                else create_markdown_artifact(page, "mlflow-run", about)
            ),
        )

    def _table(self, key: str, rows: pages.Rows, found: str) -> None:
        self._show(key, lambda about: create_table_artifact(rows, key, about), found)

    def _show(self, key: str, create: Callable[[str], object], found: str = "") -> None:
        about = f"{self._title}: {found}" if found else self._title
        self._prefect.attempt(f"Prefect artifact {key!r}", lambda: create(about))


def _origin() -> dict[str, str]:
    """Whose run it is and of which spec, where MLflow's page looks for both."""
    spec = Path(str(runtime.flow_run.parameters.get("spec", ""))).name
    origin = {"mlflow.source.name": spec, "mlflow.source.type": "LOCAL", "mlflow.user": _user()}
    return {key: value for key, value in origin.items() if value}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in many containers
        return ""
