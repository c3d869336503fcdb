"""The pilot with some of its cases: every stage does real work, in a fraction of the time."""

import itertools
import json
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PILOT = ROOT / "datasets" / "pilot"
SPEC = ROOT / "manifests" / "pilot.toml"
STAGES = ["freeze", "control", "baseline", "optimize", "audit", "holdout", "recommend"]
ELEVEN = {
    "train": ["bakery-till", "loan-schedule", "sensor-average", "trail-distance"],
    "dev": ["donor-limit", "museum-shop-order", "passbook-balance", "recipe-calories"],
    "holdout": ["berth-overlap", "headline-slugs", "invoice-quantity"],
}
FIVE = {
    "train": ["bakery-till", "sensor-average"],
    "dev": ["passbook-balance", "recipe-calories"],
    "holdout": ["invoice-quantity"],
}
NO_BAR = {"minimum_effect = 0.05": "minimum_effect = 0.0", "sought_effect = 0.30": "# sought_effect = 0.30"}
"""So few cases can find no effect that is worth seeking, and a run that seeks one stops."""


def written(folder: Path, splits: dict[str, list[str]], changes: dict[str, str] | None = None) -> Path:
    """A spec for these cases in `folder`, beside their corpus; each change has to find what it replaces."""
    for kind in ("cases", "sealed"):
        for case_id in itertools.chain(*splits.values()):
            shutil.copytree(PILOT / kind / case_id, folder / "corpus" / kind / case_id)
    head = (PILOT / "corpus.toml").read_text().partition("[splits]")[0]
    named = "".join(f"{split} = {json.dumps(ids)}\n" for split, ids in splits.items())
    (folder / "corpus" / "corpus.toml").write_text(f"{head}[splits]\n{named}")
    text = SPEC.read_text()
    for before, after in {'"../datasets/pilot"': '"corpus"', **(NO_BAR if changes is None else changes)}.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    spec = folder / "small.toml"
    spec.write_text(text)
    return spec


def spec_of(home: Path) -> Path:
    """The spec that a state folder of these tests was made with."""
    return Path((home / "spec-of-this-test").read_text())
