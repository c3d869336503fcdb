"""Attacks by exhaustion: processes, memory, disk, output, time. Each row says what bounds it in which tier."""

from pathlib import Path

import pytest

from tasks.workspace import landlock, memory
from tasks.workspace.environment import base_python
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Job, Limits

MEGABYTE = 1 << 20
FILL = """
import os, sys
written = 0
try:
    for number in range(16):
        with open(f"{sys.argv[1]}/{number}", "wb", 0) as file:
            for _ in range(2): written += file.write(bytes(1 << 20))
except OSError:
    pass
print(written)
"""


@pytest.fixture(params=["bubblewrap", "landlock", "forked"])
def sandbox(request, sandbox_of):
    """Each tier that holds here, and the fork server's walls."""
    return sandbox_of(request.param)


def run(sandbox, code, *arguments, **limits):
    """Run Python `code` under `limits`."""
    argv = (str(base_python()), "-I", "-S", "-B", "-c", code, *arguments)
    return sandbox.run(Job(argv, limits=Limits(**limits)))


def test_a_fork_bomb_stops_at_the_limit_on_processes(sandbox):
    """Forks fail at the declared limit: exact in a namespace, give or take the uid's other runs where there is none."""
    code = """
import os, time
forks = 0
try:
    while forks < 500:
        if os.fork() == 0: time.sleep(30)
        forks += 1
except OSError: pass
print(forks, flush=True)
"""
    forks = int(run(sandbox, code, processes=32).stdout.split()[-1])
    assert 20 <= forks < (32 if sandbox.tier == "bubblewrap" else 200)


def test_a_process_gets_no_more_memory_than_declared(sandbox):
    """An allocation beyond the limit fails inside; the machine does not swap."""
    ended = run(sandbox, "x = bytearray(600 << 20)", memory_bytes=512 * MEGABYTE)
    assert (ended.how, ended.status) == ("exit", 1)
    assert b"MemoryError" in ended.stderr


def test_a_flood_of_output_is_killed_and_what_is_kept_is_bounded(sandbox):
    """An endless writer is killed at the hard limit long before its deadline, and a bounded part is kept."""
    code = "import os\nwhile True: os.write(1, bytes(65536))"
    ended = run(sandbox, code, output_bytes=10_000, hard_output_bytes=4 * MEGABYTE, wall_seconds=15)
    assert ended.how == "output_limit"
    assert ended.truncated
    assert 10_000 <= len(ended.stdout) <= 10_100


def test_a_flood_of_results_is_killed(sandbox):
    """The results pipe has the same hard limit."""
    code = "import os\nfd = int(os.environ['PROVEOUT_RESULTS_FD'])\nwhile True: os.write(fd, bytes(65536))"
    argv = (str(base_python()), "-I", "-S", "-c", code)
    ended = sandbox.run(Job(argv, limits=Limits(hard_output_bytes=MEGABYTE, wall_seconds=15), results_fd=True))
    assert ended.how == "output_limit"


def test_sleeping_past_the_deadline_is_a_timeout(sandbox):
    """The deadline is kept from outside, whatever the code does with its own clock."""
    ended = run(sandbox, "import time; print('on', flush=True); time.sleep(600)", wall_seconds=3)
    assert (ended.how, ended.status, ended.stdout) == ("timeout", None, b"on\n")
    assert ended.seconds < 300


def test_ignoring_signals_does_not_outlast_the_deadline(sandbox):
    """Signals that can be caught are caught; the end comes all the same."""
    code = "import signal, time\nfor n in (1, 2, 15): signal.signal(n, lambda *_: None)\nwhile True: time.sleep(1)"
    assert run(sandbox, code, wall_seconds=0.6).how == "timeout"


def test_burning_cpu_ends_in_a_signal(sandbox):
    """The limit on CPU time kills before the wall clock does."""
    ended = run(sandbox, "while True: pass", cpu_seconds=1, wall_seconds=15)
    assert (ended.how, ended.status) == ("signal", 24)


def test_one_file_is_no_larger_than_declared(sandbox):
    """A single file is bounded in every tier."""
    code = "import os, sys; open(os.environ['TMPDIR'] + '/x', 'wb').write(bytes(8 << 20))"
    ended = run(sandbox, code, file_bytes=4 * MEGABYTE)
    assert (b"File too large" in ended.stderr, ended.status) == (True, 1)


@pytest.mark.parametrize("name", ["bubblewrap", "forked"])
def test_the_temporary_folder_and_shared_memory_are_bounded_by_bubblewrap(sandbox_of, name):
    """All files of /tmp together stay within its size; so do those of /dev/shm."""
    sandbox = sandbox_of(name)
    for folder, limit in (("/tmp", "tmp_bytes"), ("/dev/shm", "shm_bytes")):
        written = int(run(sandbox, FILL, folder, **{limit: 8 * MEGABYTE}).stdout)
        assert 6 * MEGABYTE <= written <= 8 * MEGABYTE


@pytest.mark.parametrize("mounts", [True, False])
def test_the_temporary_folder_is_bounded_by_landlock_only_where_it_may_mount(mounts, monkeypatch):
    """A known gap of the weaker tier: without mounts each file is bounded, their sum is not."""
    sandbox = choose(tier="landlock")
    if mounts and not landlock.mountable():
        pytest.skip("nothing may be mounted here")
    monkeypatch.setattr(landlock, "mountable", lambda: mounts)
    code = f"import os, sys; sys.argv[1] = os.environ['TMPDIR']{FILL}"
    written = int(run(sandbox, code, "-", tmp_bytes=8 * MEGABYTE).stdout)
    assert written == (8 if mounts else 32) * MEGABYTE


def test_shared_memory_cannot_be_written_under_landlock():
    """/dev/shm is a folder like any other that was not granted."""
    assert int(run(choose(tier="landlock"), FILL, "/dev/shm").stdout) == 0


HOLD = """
import os, sys, time
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        held = b"x" * (90 << 20); time.sleep(float(sys.argv[2])); os._exit(0)
for _ in range(int(sys.argv[1])): os.wait()
print("held")
"""


def test_memory_is_bounded_over_processes(sandbox):
    """Each stays within its own limit; all together are killed when the supervisor sees them beyond theirs."""
    limits = {"memory_bytes": 160 * MEGABYTE, "wall_seconds": 15}
    ended = run(sandbox, HOLD, "3", "10", total_memory_bytes=200 * MEGABYTE, **limits)
    assert (ended.how, ended.status, ended.stdout) == ("memory", None, b"")
    ended = run(sandbox, HOLD, "3", "0.5", total_memory_bytes=400 * MEGABYTE, **limits)
    assert (ended.how, ended.status, ended.stdout) == ("exit", 0, b"held\n")


def test_pages_that_processes_share_count_once(sandbox):
    """Ten forks of one process of 90 MB hold little more than it."""
    code = """
import os, time
held = b"x" * (90 << 20)
for _ in range(10):
    if os.fork() == 0: time.sleep(0.6); os._exit(0)
for _ in range(10): os.wait()
"""
    ended = run(sandbox, code, total_memory_bytes=250 * MEGABYTE, wall_seconds=15)
    assert (ended.how, ended.status) == ("exit", 0)


@pytest.mark.parametrize(("kills", "how"), [((7, 8), "memory"), ((7, 7), "signal")])
def test_a_kill_that_is_not_ours_is_for_memory_only_if_the_kernel_says_so(sandbox, monkeypatch, kills, how):
    """The kernel's own count of such kills, before and after, decides what a SIGKILL was."""
    counts = iter(kills)
    monkeypatch.setattr(memory, "kernel_kills", lambda: next(counts))
    ended = run(sandbox, "import os; os.kill(os.getpid(), 9)")
    assert (ended.how, ended.status) == (how, 9)


def test_the_kernels_count_of_kills_is_read():
    """/proc/vmstat has one line of it since Linux 4.13."""
    lines = [line for line in Path("/proc/vmstat").read_text().splitlines() if line.startswith("oom_kill ")]
    assert [f"oom_kill {memory.kernel_kills()}"] == lines
