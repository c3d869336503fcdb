"""Killed in any stage, the same command goes on from the store and reaches the same fingerprints."""

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.flows.small import FIVE, NO_BAR, ROOT, STAGES, spec_of, written

FINAL = ("fingerprints", "verdict", "reasons", "scores", "delta", "candidates")


def command(home, spec=None):
    return [sys.executable, "-m", "flows.cli", "run", str(spec or spec_of(home)), "--json", "--home", str(home)]


def rewind(home: Path, stage: str) -> None:
    """Forget this stage and all after it, as if the run had come no further: results, reports, calls and the look."""
    forgotten = STAGES[STAGES.index(stage) :]
    for name in forgotten:
        shutil.rmtree(home / "index" / name, ignore_errors=True)
    for entry in (*(home / "index" / "report").glob("*.json"), *(home / "index" / "plan").glob("*.json")):
        if json.loads(entry.read_text())["parts"]["stage"] in forgotten:
            entry.unlink()
    with sqlite3.connect(home / "ledger.sqlite") as ledger:
        for name in forgotten:
            ledger.execute("DELETE FROM calls WHERE session LIKE ? || '%'", (name,))
    with sqlite3.connect(home / "looks.sqlite") as looks:
        looks.executescript("DELETE FROM look_case; DELETE FROM look;")


def killed_in(home: Path, ready, seconds: float, spec: Path | None = None) -> int:
    """Start the run, wait until `ready`, kill it after `seconds` more; the calls that it had completed by then."""
    with subprocess.Popen(
        command(home, spec), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 600
        while not ready() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
    return completed(home)


def completed(home: Path) -> int:
    try:
        with sqlite3.connect(home / "ledger.sqlite") as ledger:
            return ledger.execute("SELECT count(*) FROM calls WHERE reply_json IS NOT NULL").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def resumed(home: Path, spec: Path | None = None) -> dict:
    done = subprocess.run(command(home, spec), cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def states(home: Path, query: str, database: str) -> list:
    with sqlite3.connect(home / database) as connection:
        return connection.execute(query).fetchall()


def running_in(home: Path, stage: str):
    """Whether a stage has bought its first call or tested its first tree."""

    def ready() -> bool:
        reports = (json.loads(entry.read_text()) for entry in (home / "index" / "report").glob("*.json"))
        return any(report["parts"]["stage"] == stage for report in reports)

    return ready


@pytest.mark.slow
def test_a_run_killed_in_the_middle_of_optimize_ends_as_if_it_had_not_been(copied, outcome):
    """The real flow, killed while GEPA searches; the rerun buys only what was missing and says the same."""
    rewind(copied, "optimize")
    before = completed(copied)
    bought = killed_in(copied, lambda: completed(copied) > before + 150, seconds=0.2)
    assert before + 150 < bought < outcome["lm_calls"]["bought"]
    after = resumed(copied)
    assert {key: after[key] for key in FINAL} == {key: outcome[key] for key in FINAL}
    assert after["lm_calls"]["bought"] == outcome["lm_calls"]["bought"] - bought
    assert after["stages_reused"] == ["freeze", "control", "baseline"]
    query = "SELECT state_name FROM flow_run ORDER BY start_time DESC LIMIT 2"
    assert states(copied, query, "prefect/prefect.db") == [("Completed",), ("Crashed",)]
    assert states(copied, "SELECT count(*) FROM runs WHERE status = 'RUNNING'", "mlflow.db") == [(0,)]
    spent = states(copied, "SELECT count(*), count(reply_json) FROM calls", "ledger.sqlite")
    assert spent == [(outcome["lm_calls"]["bought"],) * 2]


@pytest.fixture(scope="module")
def small_spec(tmp_path_factory):
    """Five cases in two sessions, and a short search."""
    short = {"sessions = 3": "sessions = 2", "max_metric_calls = 110": "max_metric_calls = 40"}
    return written(tmp_path_factory.mktemp("small"), FIVE, {**NO_BAR, **short})


@pytest.fixture(scope="module")
def calm(small_spec, tmp_path_factory):
    """A whole run of the small spec that nobody disturbed, and its state folder."""
    home = tmp_path_factory.mktemp("calm") / "home"
    return home, resumed(home, small_spec)


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_run_killed_in_any_stage_ends_as_if_it_had_not_been(calm, small_spec, tmp_path, stage):
    """Killed while the stage works; one without calls and tests is killed as soon as the one before it is done."""
    home = tmp_path / "home"
    shutil.copytree(calm[0], home, symlinks=True)
    rewind(home, stage)
    before = STAGES[max(0, STAGES.index(stage) - 1)]
    works = stage in {"control", "baseline", "optimize", "holdout"}
    ready = running_in(home, stage) if works else (home / "index" / before).exists
    killed_in(home, ready, seconds=0.3 if works else 0.0, spec=small_spec)
    after = resumed(home, small_spec)
    assert {key: after[key] for key in FINAL} == {key: calm[1][key] for key in FINAL}


@pytest.mark.slow
@pytest.mark.parametrize("point", range(5))
def test_a_run_killed_at_a_random_point_ends_as_if_it_had_not_been(calm, small_spec, tmp_path, point):
    """Nothing but the servers' databases is there yet; the point is drawn by chance with a recorded seed."""
    home = tmp_path / "home"
    shutil.copytree(calm[0], home, symlinks=True)
    rewind(home, "freeze")
    seconds = random.Random(f"kill:{point}").uniform(3, 30)
    killed_in(home, lambda: True, seconds, spec=small_spec)
    after = resumed(home, small_spec)
    assert {key: after[key] for key in FINAL} == {key: calm[1][key] for key in FINAL}, f"killed after {seconds:.1f} s"
