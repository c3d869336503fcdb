"""Placebo: the same search with feedback told about other cases must not raise the dev score.

    uv run python tests/benchmarks/bench_placebo.py [SPEC] [--seeds 0 1 2]

Runs baseline and optimize of a spec twice a seed, honest and placebo, through the plain stage functions (no Prefect, no
MLflow, a state folder of its own), and prints one row each: dev score of the seed program, of every accepted candidate.
Ends with status 1 when a placebo rose, or an honest search did not.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from flows.opening import corpus_of, laboratory
from tasks.baseline import baseline
from tasks.evidence.home import Home
from tasks.evidence.store import EvidenceStore
from tasks.freeze import freeze, read_spec
from tasks.optimize import optimize
from tasks.records.spec import Spec
from tasks.records.stages import Optimized, Proven
from tasks.trials.laboratory import silent

PILOT = Path(__file__).resolve().parents[2] / "manifests" / "pilot.toml"


def searched(spec: Spec, path: Path, folder: Path) -> Optimized:
    """Optimize one spec in a fresh state folder; control is another benchmark's business."""
    home = Home.open(folder)
    corpus = corpus_of(spec, path)
    manifest = freeze(spec, corpus, "benchmark")
    lab = laboratory(manifest, corpus, home, EvidenceStore(home), silent)
    proven = Proven(manifest=manifest.fingerprint, sandbox_tier=lab.sandbox.tier, environment="", rows=(), rule=())
    return optimize(lab, baseline(lab, proven))


def variant(spec: Spec, seed: int, *, placebo: bool) -> Spec:
    optimizer = spec.optimizer.model_copy(update={"placebo": placebo})
    return spec.model_copy(update={"seed": seed, "optimizer": optimizer})


def main() -> int:
    """Print the rows; 0 when every honest search rose and no placebo did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", nargs="?", type=Path, default=PILOT)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    arguments = parser.parse_args()
    wrong = 0
    print("seed  feedback  dev scores: seed program, then each accepted candidate")
    for seed in arguments.seeds:
        for placebo in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                spec = variant(read_spec(arguments.spec), seed, placebo=placebo)
                found = searched(spec, arguments.spec, Path(folder) / "home")
            scores = [discovery.dev_score for discovery in found.search.discoveries]
            shown = " ".join(f"{score:.3f}" for score in scores)
            print(f"{seed:>4}  {'shuffled' if placebo else 'honest':<8}  {shown}", flush=True)
            wrong += (max(scores) > scores[0]) == placebo
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
