"""Attacks on the end of a run: whatever was started is gone when `run` returns, and a broken sandbox is no result."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from tasks.records.errors import SandboxTrouble
from tasks.workspace.environment import base_python
from tasks.workspace.sandbox import Job, Limits

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("daemon", flush=True)
        time.sleep(60)
    os._exit(0)
time.sleep(0.3)
"""


@pytest.fixture(params=["bubblewrap", "landlock", "none", "forked"])
def sandbox(request, sandbox_of):
    """Each tier, the absent one included: it leaves nothing running either; and the fork server."""
    return sandbox_of(request.param)


@pytest.fixture(params=["bubblewrap", "landlock", "none"])
def cold(request, sandbox_of):
    """Each tier that launches a command; a fork runs our own script and nothing else."""
    return sandbox_of(request.param)


def python(code, *arguments):
    return (str(base_python()), "-I", "-S", "-B", "-c", code, *arguments)


def alive(mark):
    """Processes of the host, zombies too, whose command line carries `mark`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "cmdline").read_bytes():
                found.append(process.name)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def children():
    """Our own children, dead ones that nobody reaped included."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_a_daemon_that_holds_the_output_open_neither_survives_nor_delays(sandbox):
    """A double fork into a new session, with our pipe in its hands, is gone when the run returns."""
    mark = uuid.uuid4().hex
    ended = sandbox.run(Job(python(DAEMON, mark), limits=Limits(wall_seconds=20)))
    assert (ended.how, ended.status, ended.stdout) == ("exit", 0, b"daemon\n")
    assert ended.seconds < 20
    assert alive(mark) == []


def test_a_timeout_takes_the_whole_tree_along(sandbox):
    """Nothing of a tree that was killed at its deadline is left."""
    mark = uuid.uuid4().hex
    ended = sandbox.run(Job(python(DAEMON + "time.sleep(60)", mark), limits=Limits(wall_seconds=0.8)))
    assert ended.how == "timeout"
    assert alive(mark) == []


def test_no_zombie_is_left(sandbox):
    """Every child of ours is reaped, however the run ended."""
    before = children()
    sandbox.run(Job(("/bin/true",)))
    sandbox.run(Job(("/bin/sleep", "30"), limits=Limits(wall_seconds=0.5)))
    assert before == children()


def test_no_file_descriptor_is_left(sandbox):
    """A hundred runs would otherwise exhaust the parent."""
    sandbox.run(Job(("/bin/true",)))
    before = list(Path("/proc/self/fd").iterdir())
    sandbox.run(Job(("/bin/true",), results_fd=True))
    assert len(before) == len(list(Path("/proc/self/fd").iterdir()))


def test_a_code_that_kills_itself_is_told_from_one_that_exits(sandbox):
    """Death by a signal is an end of the code under test, and its number is known."""
    ended = sandbox.run(Job(python("import os; os.kill(os.getpid(), 11)")))
    assert (ended.how, ended.status) == ("signal", 11)


def test_a_code_that_kills_everything_it_can_see_only_ends_itself(sandbox):
    """kill(-1) reaches neither the supervisor nor the launcher: the run ends as a signal or an exit of the code."""
    if sandbox.tier == "none":
        pytest.skip("without isolation kill(-1) would reach this very test")
    ended = sandbox.run(Job(python("import os\nos.kill(-1, 9)\nprint('still here')")))
    assert (ended.how, ended.stdout) in {("exit", b"still here\n"), ("signal", b""), ("exit", b"")}


def test_a_command_that_does_not_exist_is_trouble_and_no_exit_status(cold):
    """A launch that fails never looks like a program that failed."""
    with pytest.raises(SandboxTrouble, match="no-such-program"):
        cold.run(Job(("/usr/bin/no-such-program",)))


def test_a_mount_that_does_not_exist_is_trouble(sandbox, tmp_path):
    """A sandbox that cannot be built is nobody's score."""
    from tasks.workspace.sandbox import Mount

    if sandbox.tier == "none":
        pytest.skip("without mounts there is nothing to build")
    with pytest.raises(SandboxTrouble):
        sandbox.run(Job(("/bin/true",), (Mount(tmp_path / "missing", "/missing"),)))


def test_exit_statuses_pass_through(sandbox):
    """What a program says of itself arrives unchanged, the shell's own trouble numbers included."""
    statuses = (0, 1, 126)
    ended = [sandbox.run(Job(("/bin/sh", "-c", f"exit {status}"))) for status in statuses]
    assert [("exit", status) for status in statuses] == [(end.how, end.status) for end in ended]


def test_a_child_that_stays_dies_with_its_parent(cold, tmp_path):
    """When the supervising process is killed outright, its confined child does not outlive it."""
    mark = uuid.uuid4().hex
    parent = f"""
import sys, time
sys.path.insert(0, {str(Path.cwd())!r})
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Job
code = "import time; print('up', flush=True); time.sleep(60)"
running = choose(allow_unsafe=True, tier={cold.tier!r}).start(Job(({str(base_python())!r}, "-c", code, {mark!r})))
time.sleep(0.5)
print("ready", flush=True)
time.sleep(60)
"""
    env = {**os.environ, "TMPDIR": str(tmp_path)}  # what a killed parent leaves behind is left there
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert [pid for pid in alive(mark) if int(pid) != process.pid] != []
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while alive(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert alive(mark) == []
