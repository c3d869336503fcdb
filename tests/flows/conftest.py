"""One real run of the pilot that every test of the flow reads; it is started when the first of them asks."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "manifests" / "pilot.toml"


def proveout(*arguments):
    """The console command in a process of its own, as a person starts it."""
    command = [sys.executable, "-m", "flows.cli", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A state folder whose path has a space and a letter beyond ASCII."""
    return tmp_path_factory.mktemp("höme of proveout") / ".proveout"


@pytest.fixture(scope="session")
def first(home):
    """The first run, from an empty state folder."""
    done = proveout("run", str(SPEC), "--json", "--home", str(home))
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="session")
def again(first, home):
    """The same command a second time."""
    done = proveout("run", str(SPEC), "--json", "--home", str(home))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def outcome(first):
    return json.loads(first.stdout)


@pytest.fixture
def copied(first, home, tmp_path):
    """A copy of the finished state folder, to be rewound, damaged or killed."""
    copy = tmp_path / "home"
    shutil.copytree(home, copy, symlinks=True)
    return copy
