"""Pages: what Prefect's artifacts and MLflow's description show, as plain rows and Markdown."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tasks.evidence.tables import case_rows, paired_frame
from tasks.records.base import Record
from tasks.records.candidate import Search
from tasks.records.manifest import Manifest
from tasks.records.scorecard import Marks
from tasks.records.stages import Paired, Proven
from tasks.records.verdict import Comparison, Decision

Rows = list[dict[str, Any]]
SHORT, DIGITS = 8, 3


def title(manifest: Manifest) -> str:
    """What tells two experiments of one name apart at a glance."""
    return f"{manifest.name} {manifest.fingerprint[:SHORT]}"


def settings(manifest: Manifest) -> dict[str, object]:
    """Everything that a person may have set, flat: `optimizer.max_metric_calls`, `policy.alpha`, `lm.temperature`."""
    config, judged = manifest.provider_config, manifest.validation_contract
    parts: dict[str, Record] = {
        "lm": config.lm,
        "reflection_lm": config.reflection_lm,
        "optimizer": manifest.optimizer_config,
        "budget": manifest.budget,
        "policy": manifest.policy,
        "sandbox": manifest.sandbox_requirement,
    }
    plain = {
        "program": manifest.program_version.name,
        "metric": manifest.metric_version,
        "seed": manifest.seed,
        "concurrency": manifest.concurrency,
        "sessions": manifest.independent_evaluation.sessions,
        "looks": manifest.independent_evaluation.looks,
        "regrades": judged.regrades,
        "optimizer.version": manifest.optimizer_version,
    }
    nested = {f"{part}.{key}": value for part, record in parts.items() for key, value in record.body().items()}
    return plain | {key: _plain(value) for key, value in nested.items() if value is not None}


def control_rows(proven: Proven) -> Rows:
    """One row a tree whose verdict is known beforehand."""
    return [
        {
            "case": row.case_id,
            "patch": row.patch,
            "must": row.must,
            "public": f"{row.tallies[0].public}/{row.tallies[0].public_of}",
            "sealed": f"{row.tallies[0].sealed}/{row.tallies[0].sealed_of}",
            "held": row.held,
        }
        for row in proven.rows
    ]


def baseline_rows(marks: Marks) -> Rows:
    """One row a dev case."""
    return [_rounded(row) for row in case_rows(marks, "baseline")]


def candidate_rows(search: Search) -> Rows:
    """One row an accepted candidate, the seed program first."""
    return [
        {
            "candidate": number,
            "fingerprint": found.candidate.fingerprint[:SHORT],
            "parent": (found.parent or "")[:SHORT],
            "best": number == search.best,
            "dev score": round(found.dev_score, DIGITS),
            "metric calls": found.metric_calls,
        }
        for number, found in enumerate(search.discoveries)
    ]


def holdout_rows(marks: Marks) -> Rows:
    """One row a holdout case: both arms and their difference."""
    return [_rounded(row) for row in paired_frame(marks).to_dict("records")]


def holdout_line(paired: Paired) -> str:
    """The difference with its interval, and what belongs beside it."""
    return ". ".join(sentence.rstrip(".") for sentence in figures(paired.comparison))


def figures(comparison: Comparison) -> list[str]:
    """Every figure of a comparison with what it stands on, a sentence each."""
    found, pairs, chosen = comparison.interval, comparison.mcnemar, comparison.selection
    ends = f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}] at {found.level:.1%}"
    stands = f"{found.cases} cases in {found.groups} groups, {found.sessions} sessions an arm"
    fell = ", ".join(comparison.regressed_components) or "none"
    said = [
        f"difference {ends}, over {stands}",
        f"Worse after Holm over {len(comparison.component_tests)} components: {fell}",
    ]
    if pairs:
        counts = f"{pairs.gained} of {pairs.cases} cases gained, {pairs.lost} lost"
        said.append(f"McNemar mid-p {pairs.p_mid:.4f}, told only: {counts}")
    if chosen:
        said.append(
            f"Gain on dev {chosen.dev_gain:+.3f}, the best of {chosen.compared_on_dev} accepted of {chosen.proposals} "
            f"proposals; shrunken {chosen.shrunken_gain:+.3f}, on the holdout {chosen.holdout_gain:+.3f}"
        )
    return [*said, *comparison.statements]


def recommendation(decision: Decision) -> str:
    """The verdict with its reasons, what would change it, and what it is about."""
    parts = [f"# {decision.verdict} ({decision.evidence_class} evidence)", _listed(decision.reasons)]
    if decision.would_change:
        parts += ["## What would change it", _listed(decision.would_change)]
    named = {"manifest": decision.manifest, "candidate": decision.candidate, "decision": decision.fingerprint}
    parts += ["## Fingerprints", _listed(f"{key} `{value}`" for key, value in named.items())]
    return "\n\n".join(parts) + "\n"


def mlflow_url(tracking_uri: str, experiment_id: str, run_id: str) -> str:
    """The page of a run, without credentials; empty for a store that no browser reaches."""
    parts = urlsplit(tracking_uri)
    if parts.scheme not in {"http", "https"}:
        return ""
    base = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
    return f"{base}/{_route(experiment_id, run_id)}"


def mlflow_pointer(experiment_id: str, run_id: str) -> str:
    """Where to look when MLflow's store is a file: no address, but the way to one."""
    return (
        f"MLflow run `{run_id}` of experiment `{experiment_id}`.\n\n"
        "It is in the state folder's own file. Start the MLflow server as the README says under *Using it*, and open "
        f"`/{_route(experiment_id, run_id)}` there.\n"
    )


def _route(experiment_id: str, run_id: str) -> str:
    return f"#/experiments/{experiment_id}/runs/{run_id}"


def _listed(lines: Any) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _plain(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _rounded(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        str(key): (None if value != value else round(value, DIGITS)) if isinstance(value, float) else value  # noqa: PLR0124 - NaN
        for key, value in row.items()
    }
