"""One real run of eleven pilot cases that every test of the flow reads; it is started when the first of them asks.

Test workers share it: the first to ask runs, the others wait. Copies are taken from a snapshot that nobody runs in.
"""

import json
import shutil
import subprocess
import sys

import pytest

from tasks.evidence.files import locked
from tests.flows.small import ELEVEN, ROOT, spec_of, written


def proveout(*arguments):
    """The console command in a process of its own, as a person starts it."""
    command = [sys.executable, "-m", "flows.cli", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)


@pytest.fixture(scope="session")
def shared(tmp_path_factory, worker_id):
    """A folder of this test session, the same for all of its workers."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def home(shared):
    """A state folder whose path has a space and a letter beyond ASCII."""
    return shared / "höme of proveout" / ".proveout"


@pytest.fixture(scope="session")
def first(shared, home):
    """What the first run, from an empty state folder, put on stdout."""
    told = shared / "first.json"
    with locked(shared / "first.lock"):
        if not told.exists():
            spec = written(shared, ELEVEN)
            done = proveout("run", str(spec), "--json", "--home", str(home))
            assert done.returncode == 0, done.stderr
            (home / "spec-of-this-test").write_text(str(spec))
            shutil.copytree(home, shared / "snapshot", symlinks=True)
            told.write_text(done.stdout)
    return told.read_text()


@pytest.fixture(scope="session")
def outcome(first):
    return json.loads(first)


@pytest.fixture(scope="session")
def again(first, home):
    """The same command a second time."""
    assert first
    done = proveout("run", str(spec_of(home)), "--json", "--home", str(home))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def copied(first, shared, tmp_path):
    """A copy of the finished state folder, to be rewound, damaged or killed."""
    assert first
    copy = tmp_path / "home"
    shutil.copytree(shared / "snapshot", copy, symlinks=True)
    return copy
