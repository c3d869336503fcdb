"""Suites that do what they should not: each ends in a typed outcome in time, unnoticed by the next validation."""

import os
import time
from pathlib import Path

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.environment import prepare
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Limits

MEGABYTE = 1 << 20
LIMITS = Limits(
    wall_seconds=20, memory_bytes=512 * MEGABYTE, total_memory_bytes=600 * MEGABYTE, processes=24,
    work_bytes=8 * MEGABYTE, tmp_bytes=8 * MEGABYTE, file_bytes=64 * MEGABYTE,
)  # fmt: skip
HASTY = LIMITS.model_copy(update={"wall_seconds": 2.5})
NODE = "tests/test_bad.py::test_bad"
HEALTHY = SourceTree.of({"tests/test_bad.py": "def test_bad(tmp_path): (tmp_path / 'x').write_text('x')\n"})
HEAD = "import ctypes, fcntl, os, pathlib, shutil, sys, threading, time\n"
FOREVER = "while True: time.sleep(1)"

# name: (body of the test, how it ends, what becomes of the node)
SUITES = {
    "prints without end into pytest's file": ("while True: os.write(1, bytes(1 << 16))", "exit", "failed"),
    "prints without end": ("while True: os.write(max(pipes()), bytes(1 << 16))", "output_limit", "error"),
    "floods the results": ("while True: os.write(min(pipes()), bytes(1 << 16))", "output_limit", "error"),
    "sleeps for ever": (FOREVER, "timeout", "error"),
    "forks for ever": ("while True:\n        try: os.fork()\n        except OSError: pass", "timeout", "error"),
    "leaves a daemon": ("if os.fork() == 0: os.setsid(); time.sleep(600)", "exit", "passed"),
    "deletes its own tree": ("shutil.rmtree(os.getcwd(), ignore_errors=True)", "exit", "passed"),
    "closes every descriptor": ("os.closerange(0, 1024)", "mismatch", "error"),
    "closes the results alone": ("os.close(min(pipes()))", "mismatch", "error"),
    "writes no UTF-8": ("os.write(1, b'\\xff\\xfe'); raise ValueError('\\udcff\\x1b[31m\\x00')", "exit", "failed"),
    "locks a file of its tree": ("lock(__file__)", "exit", "passed"),
    "locks a file of the environment": ("import pytest; lock(pytest.__file__)", "exit", "passed"),
    "locks and hangs": (f"lock(__file__)\n    {FOREVER}", "timeout", "error"),
    "fills its view": ("pathlib.Path('big').write_bytes(bytes(32 << 20))", "exit", "failed"),
    "fills its temporary folder": ("pathlib.Path('/tmp/big').write_bytes(bytes(32 << 20))", "exit", "failed"),
    "takes memory to the limit": ("held = [bytearray(64 << 20) for _ in range(100)]", "exit", "failed"),
    "takes memory in many processes": (
        f"for _ in range(4):\n        if os.fork() == 0: held = b'x' * (200 << 20); time.sleep(600)\n    {FOREVER}",
        "memory", "error",
    ),
    "crashes": ("ctypes.string_at(0)", "signal", "error"),
    "leaves a thread that never ends": ("threading.Thread(target=time.sleep, args=(600,)).start()", "exit", "passed"),
    "recurses without end": ("def deeper(): deeper()\n    deeper()", "exit", "failed"),
    "changes its limits": ("import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))", "exit", "failed"),
}  # fmt: skip
BY_HAND = {
    "prints without end into pytest's file", "floods the results", "leaves a daemon", "closes the results alone",
    "locks a file of its tree", "locks and hangs", "fills its temporary folder", "leaves a thread that never ends",
    "recurses without end", "changes its limits",
}  # fmt: skip
HELPERS = '''
def lock(path):
    held.append(open(path)); fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
def pipes():
    """Under pytest's capture: the results, and copies of what stdout and stderr were."""
    links = {int(name): f'/proc/self/fd/{name}' for name in os.listdir('/proc/self/fd')}
    return [fd for fd, link in links.items() if os.path.exists(link) and os.readlink(link).startswith('pipe:')]
held = []
'''


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def bench(environment):
    try:
        return Bench(choose(), environment, LIMITS)
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


def traces():
    """What a run could leave behind here: processes, descriptors, mounts, files."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    mounts = Path("/proc/self/mounts").read_text()
    return children, len(list(Path("/proc/self/fd").iterdir())), mounts


@pytest.mark.parametrize(
    "suite", [pytest.param(name, marks=pytest.mark.slow if name in BY_HAND else ()) for name in SUITES]
)
def test_a_bad_suite_ends_in_time_and_leaves_nothing(bench, suite):
    """Its end is of the right kind within the limit and one second; the next validation passes."""
    body, how, outcome = SUITES[suite]
    tree = SourceTree.of({"tests/test_bad.py": f"{HEAD}{HELPERS}def test_bad():\n    {body}\n"})
    limits = HASTY if how == "timeout" else LIMITS
    tried = Bench(bench.sandbox, bench.environment, limits)
    before, started = traces(), time.monotonic()
    report = tried.test(tree, (NODE,))
    took_seconds = time.monotonic() - started
    # A slow machine may not have reached the test when its short time is over.
    assert (how, True) == (report.ended, report.outcomes[NODE] in {outcome, "missing" if how == "timeout" else outcome})
    assert took_seconds <= limits.wall_seconds + 1
    assert before == traces()
    assert report.shown.isprintable() or set(report.shown) - {"\n", "\t"} <= set(filter(str.isprintable, report.shown))
    assert bench.test(HEALTHY, (NODE,)).all_passed((NODE,))


@pytest.mark.parametrize(
    ("content", "outcome"),
    [("def test_bad(:\n", "error"), ("import missing\n", "error"), (b"\xff\xfe\x00", "error"), ("", "missing")],
)
def test_a_suite_that_cannot_be_collected_has_no_passed_node(bench, content, outcome):
    """A syntax error, a missing module, no text at all, no such test: pytest says so, and the outcome too."""
    report = bench.test(SourceTree.of({"tests/test_bad.py": content}), (NODE,))
    assert (report.ended, report.outcomes) == ("exit", {NODE: outcome})


def test_a_lock_that_a_run_held_is_free_for_the_next(bench):
    """Two runs lock the same file of the environment, one after the other."""
    body = SUITES["locks a file of the environment"][0]
    tree = SourceTree.of({"tests/test_bad.py": f"{HEAD}{HELPERS}def test_bad():\n    {body}\n"})
    assert [True, True] == [bench.test(tree, (NODE,)).all_passed((NODE,)) for _ in range(2)]
