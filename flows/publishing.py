"""Publishing: what each stage shows in MLflow and in Prefect. Both come after the store; neither can change a score."""

from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact

from tasks.evidence.metrics import comparison_scores, mean_scores
from tasks.evidence.tables import failures_frame, scorecards_frame
from tasks.evidence.tracking import Tracker
from tasks.records.attempt import Attempt
from tasks.records.base import Record
from tasks.records.manifest import Manifest
from tasks.records.scorecard import Marks
from tasks.records.stages import Audited, Baseline, Optimized, Paired, Proven
from tasks.records.verdict import Decision
from tasks.trials.laboratory import Laboratory


class Publisher:
    """Tells MLflow and Prefect about stages. Trouble with either is noted and never stops a run."""

    def __init__(self, tracker: Tracker) -> None:
        self._tracker = tracker
        self.troubles: list[str] = []

    def manifest(self, manifest: Manifest) -> None:
        """The frozen experiment: fingerprints as tags, the manifest as an artifact, the datasets as inputs."""
        config = manifest.provider_config
        self._tracker.log_record(manifest, "manifest.json")
        self._tracker.log_inputs(manifest)
        self._tracker.log_params(
            {
                "program": manifest.program_version.name,
                "metric": manifest.metric_version,
                "lm": config.lm.model,
                "reflection_lm": config.reflection_lm.model,
                "optimizer": manifest.optimizer_version,
                "feedback": manifest.optimizer_config.feedback,
                "placebo": manifest.optimizer_config.placebo,
                "seed": manifest.seed,
                "sessions": manifest.independent_evaluation.sessions,
            }
        )
        self._stage("freeze", manifest, {})

    def proven(self, proven: Proven) -> None:
        """The control table."""
        held = sum(row.held for row in proven.rows)
        self._stage("control", proven, {"control/rows": float(len(proven.rows)), "control/held": float(held)})
        self._table(
            "control",
            [
                {
                    "case": row.case_id,
                    "patch": row.patch,
                    "must": row.must,
                    "public": f"{row.tallies[0].public}/{row.tallies[0].public_of}",
                    "sealed": f"{row.tallies[0].sealed}/{row.tallies[0].sealed_of}",
                    "held": row.held,
                }
                for row in proven.rows
            ],
        )

    def baseline(self, before: Baseline, lab: Laboratory) -> None:
        """Scores of the seed program on dev."""
        scores = mean_scores("baseline", "dev", before.marks) | {
            "baseline/dev/noise_floor": before.noise_floor,
            "baseline/dev/minimum_detectable_effect": before.minimum_detectable_effect,
        }
        run = self._stage("baseline", before, scores)
        self._marks("baseline", before.marks, run)
        self._attempts(lab, before.attempts, run)

    def optimized(self, optimized: Optimized, lab: Laboratory) -> None:
        """Every accepted candidate as a child run; the optimizer's own log as an artifact."""
        search = optimized.search
        scores = {
            "optimize/proposals": float(search.proposals),
            "optimize/accepted": float(search.accepted),
            "optimize/metric_calls": float(search.metric_calls),
            "candidate/dev/score": max(found.dev_score for found in search.discoveries),
        }
        run = self._stage("optimize", optimized, scores)
        for number, discovery in enumerate(search.discoveries):
            self._tracker.candidate_run(number, discovery)
        if optimized.candidate is not None:
            self._tracker.log_record(optimized.candidate, "candidate.json")
        self._tracker.log_text(lab.store.get_bytes(optimized.log).decode(), "optimizer.log", run_id=run or None)
        self._attempts(lab, optimized.attempts, run)
        self._table(
            "candidates",
            [
                {"candidate": number, "dev score": found.dev_score, "metric calls": found.metric_calls}
                for number, found in enumerate(search.discoveries)
            ],
        )

    def audited(self, audited: Audited) -> None:
        """The integrity checks."""
        checks = audited.audit.checks
        self._stage("audit", audited, {"audit/failed_checks": float(sum(not check.passed for check in checks))})
        self._table("audit", [check.body() for check in checks])

    def paired(self, paired: Paired, lab: Laboratory) -> None:
        """Both arms on the holdout and their difference."""
        scores = {
            **mean_scores("baseline", "holdout", paired.marks),
            **mean_scores("candidate", "holdout", paired.marks),
            **comparison_scores(paired.comparison),
        }
        run = self._stage("holdout", paired, scores)
        self._marks("holdout", paired.marks, run)
        self._attempts(lab, paired.attempts, run)
        self._tracker.log_record(paired.comparison, "comparison.json")

    def decision(self, decision: Decision) -> None:
        """The recommendation, as a page in Prefect and an artifact in MLflow."""
        self._tracker.log_record(decision, "decision.json")
        self._tracker.set_tags(
            {
                "verdict": decision.verdict,
                "proveout.decision": decision.fingerprint,
                "proveout.candidate": decision.candidate,
                "evidence_class": decision.evidence_class,
            }
        )
        self._stage("recommend", decision, {})
        reasons = "\n".join(f"- {reason}" for reason in decision.reasons)
        change = "\n".join(f"- {remedy}" for remedy in decision.would_change)
        page = f"# {decision.verdict}\n\n{reasons}\n"
        page += f"\n## What would change it\n\n{change}\n" if change else ""
        self._prefect(lambda: create_markdown_artifact(key="recommendation", markdown=page))

    def link(self, url: str) -> None:
        """From the Prefect flow run to the MLflow run."""
        self._prefect(lambda: create_link_artifact(key="mlflow-run", link=url, link_text="MLflow run"))

    def _stage(self, name: str, record: Record, scores: dict[str, float]) -> str:
        if scores:
            self._tracker.log_scores(scores)
        return self._tracker.stage_run(name, tags={"fingerprint": record.fingerprint}, metrics=scores)

    def _marks(self, name: str, marks: Marks, run: str) -> None:
        self._tracker.log_frame(f"scorecards/{name}", scorecards_frame(marks))
        if marks.failures:
            self._tracker.log_frame(f"failures/{name}", failures_frame(marks), run_id=run or None)

    def _attempts(self, lab: Laboratory, names: tuple[str, ...], run: str) -> None:
        lines = (lab.store.get(name, Attempt).model_dump_json() for name in dict.fromkeys(names))
        self._tracker.log_text("\n".join(lines) + "\n", "attempts.jsonl", run_id=run or None)

    def _table(self, key: str, rows: list[dict[str, object]]) -> None:
        self._prefect(lambda: create_table_artifact(key=key, table=rows))

    def _prefect(self, create: object) -> None:
        try:
            create()  # type: ignore[operator]
        except Exception as error:  # noqa: BLE001 - whatever the server says, the evidence is in the store
            self.troubles.append(f"Prefect artifact: {type(error).__name__}: {error}"[:300])
