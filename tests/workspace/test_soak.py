"""Soak: validations in a row leave the machine as they found it.

The test does fewer runs than the claim; the claim is checked by the script, from the checkout:
python tests/workspace/test_soak.py --cold 2000 --forked 2000
"""

import argparse
import ctypes
import gc
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tasks.records.errors import SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.environment import prepare
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose

TREE = SourceTree.of({"tests/test_two.py": "def test_one(): pass\ndef test_two(): assert 1 + 1 == 2\n"})
NODES = ("tests/test_two.py::test_one", "tests/test_two.py::test_two")
WARM_UP_RUNS = 20
MAX_GROWTH_BYTES = 5 << 20
PR_SET_CHILD_SUBREAPER = 36


def descendants():
    """Our processes; orphans come to us, because we are their subreaper."""
    parents = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(process.name)] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sorted(ours - {os.getpid()})


def resident_bytes(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def standing(temporary):
    """What must be the same afterwards, and what may grow a little."""
    gc.collect()
    left = descendants()
    files = [path for path in temporary.rglob("*") if path.is_file()]
    same = {
        "processes": len(left),
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "mount namespaces": len({os.readlink(f"/proc/{pid}/ns/mnt") for pid in left}),  # noqa: PTH115 - no file
        "descriptors": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        "descriptors of children": [len(os.listdir(f"/proc/{pid}/fd")) for pid in left],  # noqa: PTH208
        "threads": (threading.active_count(), len(os.listdir("/proc/self/task"))),  # noqa: PTH208
        "temporary files": len(list(temporary.rglob("*"))),
        "disk": sum(file.stat().st_size for file in files),
    }
    return same, [resident_bytes(pid) for pid in (os.getpid(), *left)]


def soak(sandbox, environment, temporary, runs):
    """Before, after, seconds a run; both after the warm-up, when everything that is made once has been made."""
    bench = Bench(sandbox, environment)
    for _ in range(WARM_UP_RUNS):
        assert bench.test(TREE, NODES).all_passed(NODES)
    before, started = standing(temporary), time.monotonic()
    for _ in range(runs):
        assert bench.test(TREE, NODES).all_passed(NODES)
    return before, standing(temporary), (time.monotonic() - started) / runs


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temporary folder of our own, and orphans that come to us."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield tmp_path
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def sandbox_of(name):
    cold = choose(tier="bubblewrap")
    return ForkServer(cold) if name == "forked" else cold


@pytest.mark.slow
@pytest.mark.parametrize(("name", "runs"), [("cold", 100), ("forked", 500)])
def test_validations_in_a_row_leave_the_machine_as_it_was(tmp_path_factory, temporary, name, runs):
    """Processes, mounts, descriptors, threads, files and disk are the same; memory grows by less than 5 MB."""
    try:
        sandbox = sandbox_of(name)
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    before, after, _ = soak(sandbox, prepare(tmp_path_factory.mktemp("home")), temporary, runs)
    if name == "forked":
        sandbox.close()
    assert before[0] == after[0]
    assert max(now - then for then, now in zip(before[1], after[1], strict=True)) < MAX_GROWTH_BYTES


def main():
    """Print what stood before and after, for each sandbox that is asked for."""
    parser = argparse.ArgumentParser(description="Validations in a row, and what they leave.")
    for name in ("cold", "forked"):
        parser.add_argument(f"--{name}", type=int, default=0, metavar="RUNS")
    chosen = vars(parser.parse_args())
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    sound = True
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as temporary:
        environment = prepare(Path(home))
        tempfile.tempdir = temporary
        for name, runs in chosen.items():
            if not runs:
                continue
            before, after, seconds = soak(sandbox := sandbox_of(name), environment, Path(temporary), runs)
            if name == "forked":
                sandbox.close()
            growth = [now - then for then, now in zip(before[1], after[1], strict=False)]
            held = before[0] == after[0] and max(growth) < MAX_GROWTH_BYTES
            sound = sound and held
            print(
                f"{name}: {runs} validations, {seconds * 1e3:.0f} ms each: {'as before' if held else 'NOT as before'}"
            )
            for what in before[0]:
                print(f"  {what:24} {before[0][what]} -> {after[0][what]}")
            print(f"  resident bytes           {before[1]} -> {after[1]}, growth {growth}")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
