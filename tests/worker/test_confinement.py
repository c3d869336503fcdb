"""The confined worker, attacked from inside: what it must not reach is tried, in every tier that this machine has."""

import json
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.worker.confined import worker_job
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.ladder import probe
from tasks.workspace.landlock import Landlock

PROBE = """
import json, os, socket, sys
sealed, state, repository, port, parent, secret = sys.argv[1:]

def tried(act):
    try:
        return repr(act())[:80]
    except Exception as error:
        return None

def environment_of(pid):
    return secret in open(f"/proc/{pid}/environ").read() or None

def connected():
    with socket.socket() as plug:
        plug.settimeout(2)
        plug.connect(("127.0.0.1", int(port)))
    return True

print(json.dumps({
    "read a sealed file": tried(lambda: open(sealed).read()),
    "list the state folder": tried(lambda: os.listdir(state)),
    "write to the state folder": tried(lambda: open(os.path.join(state, "planted"), "w").write("x")),
    "list the repository": tried(lambda: {"datasets", ".git"} & set(os.listdir(repository)) or 1/0),
    "find a key in the environment": tried(lambda: os.environ["PROVIDER_API_KEY"]),
    "read the parent's environment": tried(lambda: environment_of(parent) or 1/0),
    "read the first process's environment": tried(lambda: environment_of(1) or 1/0),
    "connect to this machine": tried(connected),
    "open a network socket": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    "import corpus": tried(lambda: __import__("tasks.corpus.reading")),
    "import evidence": tried(lambda: __import__("tasks.evidence.store")),
    "read the user's home": tried(lambda: os.listdir(os.path.expanduser("~root")) or 1/0),
}))
"""


@pytest.fixture(params=[Bubblewrap, Landlock], ids=["bubblewrap", "landlock"])
def sandbox(request):
    """Each tier that this machine can enforce; on a machine with neither, nothing of this suite means anything."""
    tier = request.param()
    try:
        probe(tier)
    except SandboxUnavailable as error:
        pytest.skip(f"this machine cannot enforce the tier: {error}")
    return tier


def test_the_worker_reaches_nothing_that_it_must_not(sandbox, tmp_path, monkeypatch):
    """No sealed file, state folder, key, parent's environment, network or other room is within the worker's reach."""
    root = Path(__file__).resolve().parents[2]
    sealed = root / "datasets" / "pilot" / "sealed" / "invoice-quantity" / "sealed.toml"
    state = tmp_path / ".proveout"
    state.mkdir(mode=0o755)
    (state / "ledger.sqlite").write_text("calls")
    monkeypatch.setenv("PROVIDER_API_KEY", "sk-canary-of-the-parent")
    rooms = tmp_path / "rooms"
    rooms.mkdir(mode=0o755)
    tmp_path.chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        arguments = (str(sealed), str(state), str(root), str(listener.getsockname()[1]), str(os.getpid()), "sk-canary")
        job = replace(worker_job(rooms), argv=(sys.executable, "-B", "-c", PROBE, *arguments))
        ended = sandbox.run(job)
    assert ended.stderr.decode() == ""
    reached = {attempt: got for attempt, got in json.loads(ended.stdout).items() if got is not None}
    assert reached == {}
    assert sealed.exists()  # the attack aimed at something
    assert not (state / "planted").exists()


def test_the_worker_can_do_its_own_work(sandbox, tmp_path):
    """Within the same confinement DSPy, GEPA and our own program load: the boundary is not a broken interpreter."""
    tmp_path.chmod(0o755)
    program = "import tasks.worker.main, dspy, gepa; print(dspy.__version__)"
    job = replace(worker_job(tmp_path / "worker"), argv=(sys.executable, "-B", "-c", program))
    ended = sandbox.run(job)
    assert (ended.stdout.decode().strip(), ended.status) == ("3.4.1", 0), ended.stderr.decode()
