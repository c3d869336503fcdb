"""What the world does to a run: each trouble is one line and its status, and nothing that was done is lost."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.flows.small import spec_of
from tests.flows.test_resume import FINAL, completed, rewind

ROOT = Path(__file__).resolve().parents[2]
NOBODY = "http://127.0.0.1:1"


def command(home):
    return [sys.executable, "-m", "flows.cli", "run", str(spec_of(home)), "--json", "--home", str(home)]


def run(home, **environment):
    return subprocess.run(
        command(home), cwd=ROOT, capture_output=True, text=True, timeout=900, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


def stopped(done, status):
    """One line on stderr, nothing on stdout, that status; the line."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1), done.stderr
    return done.stderr


def goes_on(home, outcome):
    """The same command, once the trouble is over, says what the calm run said."""
    done = run(home)
    assert done.returncode == 0, done.stderr
    after = json.loads(done.stdout)
    assert {key: after[key] for key in FINAL} == {key: outcome[key] for key in FINAL}
    return after


def test_a_damaged_object_is_named_and_nothing_goes_on_from_it(copied):
    """A flipped byte of a stage's record is status 1 and its name; nothing else was touched."""
    (entry,) = (copied / "index" / "baseline").glob("*.json")
    name = json.loads(entry.read_text())["fingerprint"]
    path = copied / "objects" / name[:2] / name[2:]
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"value":1', b'"value":0', 1))
    assert name in stopped(run(copied), 1)
    assert path.read_bytes() != whole


def test_a_prefect_server_that_is_not_there_stops_before_anything(copied):
    """PREFECT_API_URL wins when it is set; when nobody answers there, that is told with its address."""
    assert NOBODY in stopped(run(copied, PREFECT_API_URL=f"{NOBODY}/api"), 5)


def test_a_ledger_of_another_version_is_refused(copied):
    """Its calls are not read with this version's eyes; status 2, the file and both versions."""
    with sqlite3.connect(copied / "ledger.sqlite") as ledger:
        ledger.execute("PRAGMA user_version = 9")
    line = stopped(run(copied), 2)
    assert ("ledger.sqlite" in line, "version 9, expected 1" in line) == (True, True)


@pytest.mark.slow
def test_an_mlflow_server_that_is_not_there_stops_before_anything(copied):
    """MLFLOW_TRACKING_URI wins when it is set."""
    assert NOBODY in stopped(run(copied, MLFLOW_TRACKING_URI=NOBODY), 5)


@pytest.mark.slow
@pytest.mark.parametrize("database", ["mlflow.db", "prefect/prefect.db"])
def test_a_database_of_another_version_stops_before_anything(copied, database):
    """Tables that an unknown revision made are not touched; the line names what to look at."""
    with sqlite3.connect(copied / database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'ffffffffffff'")
    done = run(copied)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (5, "", 1), done.stderr


@pytest.mark.slow
def test_a_prefect_server_that_dies_in_a_stage_costs_nothing_but_the_run(copied, outcome):
    """The embedded server is killed while the search goes on; the next run finds every result in the store."""
    rewind(copied, "optimize")
    before = completed(copied)
    with subprocess.Popen(
        command(copied), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        while completed(copied) < before + 20 and process.poll() is None:
            time.sleep(0.05)
        (server,) = children(process.pid, "prefect.server.api.server")
        os.kill(server, signal.SIGKILL)
        _, said = process.communicate(timeout=900)
    assert (process.returncode, said.count("\n")) == (5, 1), said
    assert said.startswith("proveout: Prefect at")
    after = goes_on(copied, outcome)
    assert after["lm_calls"]["bought"] + completed_since(copied, before) >= outcome["lm_calls"]["bought"] - before


def completed_since(home, before):
    return completed(home) - before


def children(pid, word):
    """Processes that `pid` started and whose command line holds `word`."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            line = (folder / "cmdline").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == pid and word in line:
            found.append(int(folder.name))
    return found


@pytest.mark.slow
def test_an_mlflow_server_that_dies_in_a_stage_costs_nothing_but_tracking(copied, outcome, tmp_path):
    """A real server is killed while the search goes on: the verdict is the calm one, and says what is not tracked."""
    rewind(copied, "optimize")
    before = completed(copied)
    with served_mlflow(tmp_path) as (server, url), subprocess.Popen(
        command(copied), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "MLFLOW_TRACKING_URI": url},
    ) as process:  # fmt: skip
        while completed(copied) < before + 20 and process.poll() is None:
            time.sleep(0.05)
        os.killpg(server.pid, signal.SIGKILL)
        told, said = process.communicate(timeout=900)
    assert process.returncode == 0, said
    after = json.loads(told)
    assert {key: after[key] for key in FINAL} == {key: outcome[key] for key in FINAL}
    assert any(trouble.startswith("not tracked: ") for trouble in after["troubles"])


@contextmanager
def served_mlflow(folder):
    """An MLflow server on a free port, with its address, once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    words = ["mlflow", "server", "--workers", "1", "--port", port, "--backend-store-uri", f"sqlite:///{folder}/m.db"]
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
    with subprocess.Popen(
        [sys.executable, "-m", *words], cwd=folder, env={**os.environ, **quiet}, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        url = f"http://127.0.0.1:{port}"
        try:
            deadline = time.monotonic() + 120
            while not answers(f"{url}/health"):
                assert server.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.2)
            yield server, url
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


def answers(url):
    with suppress(OSError):
        return urllib.request.urlopen(url, timeout=2).status == 200  # noqa: S310 - loopback
    return False


@pytest.mark.slow
def test_two_runs_of_one_spec_at_once_are_one(copied, outcome):
    """The second is told of the first and stops; the first ends as if it had been alone."""
    rewind(copied, "optimize")
    before = completed(copied)
    with subprocess.Popen(command(copied), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        while completed(copied) < before + 20 and one.poll() is None:
            time.sleep(0.05)
        assert f"is being run by process {one.pid}" in stopped(run(copied), 5)
        told, said = one.communicate(timeout=900)
    assert one.returncode == 0, said
    after = json.loads(told)
    assert {key: after[key] for key in FINAL} == {key: outcome[key] for key in FINAL}


@pytest.mark.slow
def test_a_full_disk_stops_and_room_goes_on(copied, outcome, tmp_path):
    """The state folder lies on a file system with two megabytes left; with room again the same command ends."""
    rewind(copied, "optimize")
    disk, size = tmp_path / "disk", sum(path.stat().st_size for path in copied.rglob("*") if path.is_file())
    disk.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", f"size={size + (size // 5) + (2 << 20)}", "tmpfs", str(disk)]
    subprocess.run(mounted, check=True)
    try:
        shutil.copytree(copied, disk / "home", symlinks=True)
        room = shutil.disk_usage(disk).free - (1 << 20)
        (disk / "ballast").write_bytes(b"\0" * max(0, room))
        line = run(disk / "home")
        assert line.returncode == 5, line.stderr
        assert (line.stdout, line.stderr.count("proveout: ")) == ("", 1)
        (disk / "ballast").unlink()
        subprocess.run(["mount", "-o", "remount,size=2g", str(disk)], check=True)
        goes_on(disk / "home", outcome)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)
