"""Inputs: train, dev and holdout as MLflow dataset inputs.

Takes    a manifest.
Gives    one dataset a split: its digest (36 hex digits of a sha256, MLflow's limit), the whole sha256 as a tag, counts.
Refuses  nothing, and holds no case text: train and dev are named by id, a holdout case by the hash of its id alone.
Not covered  `scorecards/holdout.json` and `scores/holdout.json` name holdout cases by id, with their scores, because a
         person who doubts a verdict needs both; what attempts on them read and said stays in the store. Whoever tunes
         a program by those scores has made dev cases of them (DESIGN.md, "Statistics and policy").
Source   measured with MLflow 3.17.
"""

import json
from typing import TYPE_CHECKING

from tasks.records.case import Split
from tasks.records.fingerprint import fingerprint
from tasks.records.manifest import Manifest

if TYPE_CHECKING:
    from mlflow.entities import DatasetInput

DIGEST_CHARS = 36
_SHOWN_IDS = 1000


def dataset_inputs(manifest: Manifest) -> list["DatasetInput"]:
    """The three splits, each tagged with its context and whole sha256."""
    splits: dict[Split, tuple[str, ...]] = {
        "train": manifest.train_ids,
        "dev": manifest.dev_ids,
        "holdout": manifest.holdout_ids,
    }
    return [_dataset_input(manifest, split, case_ids) for split, case_ids in splits.items()]


def _dataset_input(manifest: Manifest, split: Split, case_ids: tuple[str, ...]) -> "DatasetInput":
    from mlflow.entities import Dataset, DatasetInput, InputTag

    revisions = {case_id: manifest.case_revisions.get(case_id, "") for case_id in case_ids}
    sha256 = fingerprint(revisions)
    dataset = Dataset(
        name=split,
        digest=sha256[:DIGEST_CHARS],
        source_type="proveout",
        source=json.dumps({"dataset_fingerprint": manifest.dataset_fingerprint, "split": split}),
        schema=json.dumps({"mlflow_colspec": [{"name": "case_id", "type": "string", "required": True}]}),
        profile=json.dumps(_profile(manifest, split, case_ids)),
    )
    tags = {"mlflow.data.context": split, "proveout.sha256": sha256}
    return DatasetInput(dataset=dataset, tags=[InputTag(key=key, value=value) for key, value in tags.items()])


def _profile(manifest: Manifest, split: Split, case_ids: tuple[str, ...]) -> dict[str, int | list[str]]:
    groups = {manifest.case_groups.get(case_id, case_id) for case_id in case_ids}
    named = [fingerprint(case_id) if split == "holdout" else case_id for case_id in case_ids]
    return {"num_rows": len(case_ids), "num_groups": len(groups), "cases": sorted(named)[:_SHOWN_IDS]}
