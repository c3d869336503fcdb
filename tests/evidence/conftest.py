"""A state folder, and one MLflow store for the whole session, made by two processes at once."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.evidence.home import Home
from tasks.evidence.store import EvidenceStore
from tasks.evidence.tracking import Tracker
from tasks.records.manifest import Manifest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    """Nothing that a developer has set decides where a test writes."""
    monkeypatch.delenv("PROVEOUT_HOME", raising=False)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.fixture
def home(tmp_path):
    """A fresh state folder."""
    return Home.open(tmp_path / "state")


@pytest.fixture
def store(home):
    """A fresh store."""
    return EvidenceStore(home)


@pytest.fixture(scope="session")
def python():
    """Start another Python with the project on its path: `python(code, *arguments)`."""

    def start(code: str, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture(scope="session")
def first_opens(tmp_path_factory, python):
    """A state folder with a space and an umlaut, whose tracking store two processes opened at the same time."""
    home = Home.open(tmp_path_factory.mktemp("tracked") / "st\u00e4te folder")
    code = (
        "import sys; from tasks.evidence.home import Home; from tasks.evidence.tracking import Tracker\n"
        "print(Tracker.open(Home.open(sys.argv[1]), 'shared').experiment_id)"
    )
    other = python(code, home.root)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        own = Tracker.open(home, "shared").experiment_id
    return home, [own, _answer(other)]


@pytest.fixture(scope="session")
def tracked_home(first_opens):
    """The state folder of the session's tracking store."""
    return first_opens[0]


@pytest.fixture
def tracker(tracked_home, request):
    """A tracker on the session's store, with an experiment of the test's own."""
    return Tracker.open(tracked_home, request.node.name)


@pytest.fixture
def breakable_tracker(tracked_home, home):
    """A tracker on a copy of the session's store, which a test may break, and the path of that copy."""
    shutil.copy(tracked_home.mlflow_db, home.mlflow_db)
    return Tracker.open(home, "breakable"), home.mlflow_db


@pytest.fixture
def manifest():
    """A frozen experiment with one case a split."""
    lm = {"model": "offline/rules"}
    return Manifest.model_validate(
        {
            "name": "pilot",
            "program_version": {
                "name": "repair",
                "candidate": {"program": "repair", "instructions": {}},
                "runtime_policy": {},
            },
            "case_revisions": {f"case-{split}": "r" * 64 for split in ("train", "dev", "holdout")},
            "case_groups": {f"case-{split}": split for split in ("train", "dev", "holdout")},
            "dataset_fingerprint": "d" * 64,
            "train_ids": ["case-train"],
            "dev_ids": ["case-dev"],
            "holdout_ids": ["case-holdout"],
            "runtime_version": {},
            "provider_config": {"lm": lm, "reflection_lm": lm, "evidence_class": "fixture"},
            "tool_surface_version": "1",
            "retrieval_version": "1",
            "validation_contract": {"development": "public", "grading_tiers": ["separate"], "regrades": 2},
            "independent_evaluation": {"sessions": 1, "order": "interleaved", "looks": 1},
            "metric_version": "repair/1",
            "optimizer_version": "1",
            "optimizer_config": {},
            "dspy_version": "1",
            "seed": 0,
            "budget": {"lm_calls": 1, "tokens": 1, "cost_usd": 0, "seconds": 1},
            "source_revision": "1",
            "snapshot_rules": {"table": "t", "exclude": (), "max_file_bytes": 1},
            "policy": {},
            "sandbox_requirement": {},
            "concurrency": 1,
        }
    )


def _answer(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    return out.strip() or err
