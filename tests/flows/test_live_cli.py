"""The command line before a run with a live model: one helpful line within seconds, and never a key."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.lm.provider_double import echoing_key, serving

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "manifests" / "pilot.toml"
KEY = "sk-proj-never-show-0123456789"


def proveout(home, *arguments, spec=SPEC, **environment):
    command = [sys.executable, "-m", "flows.cli", "run", str(spec), "--home", str(home), *arguments]
    env = os.environ | environment
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=900, check=False)


def holding(home, text):
    """Files below a folder that hold these bytes."""
    files = (path for path in home.rglob("*") if path.is_file())
    return [str(path) for path in files if text.encode() in path.read_bytes()]


def test_no_server_is_one_helpful_line_and_status_5(tmp_path):
    """Ollama that does not run: what to type, at once, before any server of ours is started."""
    with serving() as gone:
        model = f"ollama_chat/qwen3:latest@{gone.origin}"
    started = time.monotonic()
    done = proveout(tmp_path / "home", "--lm", model, "--reflection-lm", model)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (5, "", 1), done.stderr
    assert [
        part for part in ("`ollama serve`", "`ollama pull qwen3:latest`", gone.origin) if part not in done.stderr
    ] == []
    assert not (tmp_path / "home" / "prefect" / "prefect.db").exists()
    assert time.monotonic() - started < 120  # the declared patience of a run; this one is told at once


def test_a_key_that_is_refused_and_echoed_is_nowhere(tmp_path):
    """The server got it and sent it back; neither the terminal nor the state folder has it."""
    home = tmp_path / "home"
    with serving(faults=[echoing_key(401)]) as double:
        done = proveout(home, "--lm", f"openai/rules@{double.url}", OPENAI_API_KEY=KEY)
        assert [one.headers["Authorization"] for one in double.received] == [f"Bearer {KEY}"]
    assert (done.returncode, done.stderr.count("\n")) == (5, 1), done.stderr
    assert "set OPENAI_API_KEY in the environment" in done.stderr
    assert "never-show" not in done.stdout + done.stderr
    assert len([path for path in home.rglob("*") if path.is_file()]) >= 1
    assert holding(home, "never-show") == []
