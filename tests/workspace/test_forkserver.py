"""The fork server: equal to a cold run in all that code can see, and nothing passes from one run to another."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace import forkserver
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.environment import prepare
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Job, Limits

NODE = "tests/test_it.py::test_it"
PASSING = "def test_it(): pass\n"


@pytest.fixture(scope="module")
def cold():
    try:
        return choose(tier="bubblewrap")
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def server(cold):
    with ForkServer(cold) as server:
        yield server
        assert server.why_cold == ""


@pytest.fixture
def bench(server, environment):
    return Bench(server, environment, Limits(wall_seconds=20))


def tree(test, **files):
    """A tree whose one test is `test`."""
    return SourceTree.of({"tests/test_it.py": test, **{name + ".py": text for name, text in files.items()}})


def verdict(bench, test, **files):
    """How the one test ended, and why."""
    report = bench.test(tree(test, **files), (NODE,))
    return report.ended, report.outcomes[NODE], report.shown


def family():
    """Processes below this one that are forks of a zygote, or the zygote itself; pid to parent."""
    parents = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            parents[int(process.name)] = (parent, b"/tmp/zygote.py" in (process / "cmdline").read_bytes())
        except (FileNotFoundError, ProcessLookupError):
            continue
    ours = {os.getpid()}
    while more := {pid for pid, (parent, _) in parents.items() if parent in ours} - ours:
        ours |= more
    return {pid: parents[pid][0] for pid in ours - {os.getpid()} if parents[pid][1] and not launched(pid)}


def launched(pid):
    """Whether it is bubblewrap, whose command line names the zygote too, or gone."""
    try:
        return b"bwrap" in Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]
    except (FileNotFoundError, ProcessLookupError):
        return True


STATE = """
import gc, json, locale, os, resource, signal, socket, sys, threading, warnings
MODULES = sorted(sys.modules)

def state():
    status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
    mounts = [line.split()[4:6] for line in open("/proc/self/mountinfo")]
    kept = ("Cap", "NoNewPrivs", "Sig", "ShdPnd", "Uid", "Gid", "Groups", "Threads", "NSpid")
    folders = ("/", "/dev", "/dev/pts", "/dev/shm", "/tmp", "/opt", "/opt/proveout", "/work", "/usr", "/etc")
    sizes = [os.statvfs(folder) for folder in ("/", "/tmp", "/dev", "/dev/shm", "/work", "/proc")]
    return {
        "modules": MODULES, "path": sys.path, "argv": sys.argv, "started as": sys.orig_argv, "flags": sys.flags,
        "environment": dict(os.environ), "folder": os.getcwd(), "umask": os.umask(0o22), "pid": os.getpid(),
        "limits": [resource.getrlimit(kind) for kind in range(16)],
        "handlers": [str(signal.getsignal(number)).split(" at ")[0] for number in range(1, 32)],
        "mask": list(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "status": {name: value for name, value in status.items() if name.startswith(kept)},
        "seen": [sorted(os.listdir(folder)) for folder in folders],
        "sizes": [(size.f_blocks * size.f_frsize, size.f_flag) for size in sizes],
        "mounts": {point: flags for point, flags in mounts if not point.startswith("/tmp/")},
        "host": socket.gethostname(), "collector": [gc.isenabled(), gc.get_threshold()],
        "threads": threading.active_count(), "depth": sys.getrecursionlimit(),
        "streams": [(s.encoding, s.errors, s.isatty(), s.line_buffering) for s in (sys.__stdout__, sys.__stderr__)],
        "filters": len(warnings.filters), "finders": [str(finder).split(" at ")[0] for finder in sys.meta_path],
        "script": sys.modules["__main__"].__file__, "names": sorted(vars(sys.modules["__main__"])),
        "open": len(os.listdir("/proc/self/fd")), "killed first": open("/proc/self/oom_score_adj").read(),
        "locale": locale.setlocale(locale.LC_ALL), "processes": sorted(filter(str.isdigit, os.listdir("/proc"))),
    }

def pytest_unconfigure():
    print("STATE", json.dumps(state()))
"""


def test_code_under_test_sees_what_it_would_see_cold(bench, cold):
    """Modules, paths, variables, limits, signals, rights, mounts, streams: equal, field by field."""
    with bench.workspaces.view(tree(PASSING, conftest=STATE), "/work") as work:
        ended = [sandbox.run(bench._job(work, (NODE,), hide_output=False)) for sandbox in (cold, bench.sandbox)]
    told, forked = (json.loads(end.stdout.partition(b"STATE")[2]) for end in ended)
    assert told == forked
    assert {"pytest", "_pytest.unittest"} < set(told["modules"])


POISON = """
import atexit, builtins, json, os, random, re, socket, subprocess, sys, threading, time
import _pytest.runner, pytest

def test_it():
    builtins.len = lambda _: 7
    builtins.POISON = random.random = json.dumps = re.compile = 1
    _pytest.runner.check_interactive_exception = pytest.raises = None
    for name in ("pathlib", "tempfile"): sys.modules[name] = None
    os.environ["POISON"] = "1"
    os.putenv("POISON", "1")
    for folder in ("/tmp", "/dev/shm"): open(folder + "/poison", "w").close()
    for pid in (1, 0):
        for number in (2, 15, 9):
            if pid or number == 2:
                try: os.kill(pid, number)
                except (OSError, KeyboardInterrupt): pass
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(60)
        os._exit(0)
"""
CLEAN = """
import builtins, json, os, pathlib, random, re, sys, tempfile
import pytest

def test_it():
    assert len("ab") == 2
    assert not hasattr(builtins, "POISON")
    assert random.random() != 1 and json.dumps(1) == "1" and re.compile("a")
    assert pytest.raises and pathlib.Path and tempfile.mkdtemp
    assert "POISON" not in os.environ and b"POISON" not in open("/proc/self/environ", "rb").read()
    assert os.listdir("/tmp") == os.listdir("/dev/shm") == []
    assert {name for name in os.listdir("/proc") if name.isdigit()} == {"1", str(os.getpid())}
"""


def test_nothing_of_a_run_is_left_for_the_next(bench):
    """Patched modules, variables, files, signals to all that can be seen, a daemon: the next run meets none of it."""
    bench.test(tree(POISON), (NODE,))
    assert ("exit", "passed", "") == verdict(bench, CLEAN)


WRITING = """
import os
from pathlib import Path
def test_it():
    assert Path("data.py").read_text() == "x = 1\\n"
    assert sorted(os.listdir()) == sorted(["data.py", "tests", *NAMES])
    Path("data.py").write_text("x = 2\\n")
    Path("new.py").write_text("")
    Path("tests/made").mkdir()
    Path("data.py").rename("tests/moved.py")
    assert Path("tests/moved.py").read_text() == "x = 2\\n"
"""


@pytest.mark.parametrize("more", [0, 300])
def test_what_a_run_writes_to_its_tree_is_gone_with_it(bench, cold, more):
    """Twice over: in a tree that travels with its order, and in one that is seen through an overlay."""
    names = [f"other{number}" for number in range(more)]
    files = {"data": "x = 1\n", **dict.fromkeys(names, "")}
    test = f"NAMES = {[name + '.py' for name in names]}\n{WRITING}"
    expected = Bench(cold, bench.environment).test(tree(test, **files), (NODE,))
    assert expected.all_passed((NODE,))
    assert [expected] * 2 == [bench.test(tree(test, **files), (NODE,)) for _ in range(2)]


def test_every_run_leaves_only_its_zygote(bench):
    """Neither a daemon, nor a run killed at its deadline, nor siblings made with CLONE_PARENT, leave a process."""
    bench.test(tree(PASSING), (NODE,))
    before = family()
    sibling = "import ctypes, os, time\ndef test_it():\n    ctypes.CDLL(None).syscall(56, 0x8000 | 17, 0, 0, 0, 0)\n"
    hung = Bench(bench.sandbox, bench.environment, Limits(wall_seconds=2))
    ended = [bench.test(tree(POISON), (NODE,)).ended, bench.test(tree(sibling), (NODE,)).ended]
    ended.append(hung.test(tree("import time\ndef test_it(): time.sleep(60)\n"), (NODE,)).ended)
    assert (ended[2], before) == ("timeout", family())


HOLDING = """
import os, socket, time
def test_it():
    open("/tmp/held", "w").close()
    open("/dev/shm/held", "w").close()
    with socket.socket(socket.AF_UNIX) as link:
        link.bind("\\0held")
        link.listen()
        master, slave = os.openpty()
        time.sleep(2)
"""
LOOKING = """
import os, socket, pytest
def test_it():
    assert os.listdir("/tmp") == os.listdir("/dev/shm") == []
    assert {name for name in os.listdir("/proc") if name.isdigit()} == {"1", str(os.getpid())}
    assert sorted(os.listdir("/work")) == ["tests"]
    assert os.listdir("/dev/pts") == ["ptmx"]
    with socket.socket(socket.AF_UNIX) as link, pytest.raises(ConnectionRefusedError):
        link.connect("\\0held")
"""


def test_runs_at_the_same_time_do_not_see_each_other(bench):
    """Files, processes, trees, terminals and abstract sockets of a parallel run are out of sight."""
    held = []
    holder = threading.Thread(target=lambda: held.append(verdict(bench, HOLDING, conftest="")))
    verdict(bench, PASSING)
    idle = len(family())
    holder.start()
    while len(family()) < idle + 3:
        time.sleep(0.01)
    time.sleep(0.5)
    seen = [verdict(bench, LOOKING) for _ in range(2)]
    holder.join()
    assert [("exit", "passed", "")] * 3 == held + seen


SCAN = """
import re
def test_it():
    found = {}
    for name, (head, tail) in {"other": OTHER, "own": OWN}.items():
        with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
            for line in maps:
                start, end = (int(word, 16) for word in line.split()[0].split("-"))
                if "rw" not in line or "[v" in line: continue
                memory.seek(start)
                region = memory.read(end - start)
                place = region.find(head)
                while place >= 0 and name not in found:
                    if region[place + len(head) : place + len(head) + len(tail)] == tail: found[name] = 1
                    place = region.find(head, place + 1)
    assert list(found) == ["own"]
"""


def test_memory_holds_no_order_of_another_run(bench):
    """The name of another run's node is nowhere in a run's memory; that of its own node is, so the scan can find it."""
    words = "OTHER, OWN = (b'node_of_', b'another_run'), (b'tests/test_it', b'.py::test_it')\n"
    secret = ("tests/test_it.py::test_node_of_" + "another_run",)
    bench.test(tree("def test_node_of_another_run(): pass\n"), secret)
    assert ("exit", "passed", "") == verdict(bench, words + SCAN)


def test_parallel_runs_report_what_a_cold_run_reports(bench, cold, environment):
    """Two threads, several runs each, of trees that pass, fail and exit: each gets its own report."""
    trees = [tree(PASSING), tree("def test_it(): assert 1 == 2\n"), tree("import os\ndef test_it(): os._exit(3)\n")]
    expected = [Bench(cold, environment).test(each, (NODE,)) for each in trees]
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append([bench.test(each, (NODE,)) for each in trees * 2]))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [expected * 2] * 2 == seen


@pytest.mark.parametrize("when", ["idle", "running"])
def test_a_zygote_that_was_killed_is_replaced(cold, environment, when):
    """Nobody notices: what ran in it is run again in another."""
    others, seen = family().keys(), []
    with ForkServer(cold) as server:
        bench = Bench(server, environment)
        verdict(bench, PASSING)
        (zygote,) = family().keys() - others
        slow = "import time\ndef test_it(): time.sleep(1)\n"
        running = threading.Thread(target=lambda: seen.append(verdict(bench, slow)))
        if when == "running":
            running.start()
            while len(family().keys() - others) < 4:  # middle, first and leader
                time.sleep(0.01)
        os.kill(zygote, signal.SIGKILL)
        if when == "idle":
            running.start()
        running.join()
        assert zygote not in family()
    assert [("exit", "passed", "")] == seen


def test_a_zygote_that_grows_is_retired(cold, environment, monkeypatch):
    """The next run has a new one."""
    monkeypatch.setattr(forkserver, "MAX_GROWTH_BYTES", -(1 << 40))
    with ForkServer(cold) as server:
        bench = Bench(server, environment)
        before = family()
        assert [("exit", "passed", "")] * 2 == [verdict(bench, PASSING) for _ in range(2)]
        assert before == family()


class Strict(Bubblewrap):
    """A machine on which nothing may make namespaces inside a sandbox."""

    def order(self, job, pipes, held_open, *, nests=False):
        return super().order(job, pipes, held_open)


def test_where_namespaces_do_not_nest_every_run_is_cold_and_says_so(cold, environment, caplog):
    """The probe finds it out, the reason is kept and logged once, and the report is the cold one."""
    with ForkServer(Strict()) as server:
        reports = [Bench(server, environment).test(tree(PASSING), (NODE,)) for _ in range(2)]
        assert "unshare" in server.why_cold
        assert [server.why_cold] == [record.getMessage() for record in caplog.records]
    assert [Bench(cold, environment).test(tree(PASSING), (NODE,))] * 2 == reports


def test_a_command_that_is_not_the_runner_starts_cold(server):
    """Only our own script may be forked; its words decide, and where they come from."""
    before = family()
    ended = server.run(Job(("/bin/sh", "-c", "read line < /proc/self/cmdline; echo $line")))
    assert (ended.how, ended.stdout[:7], before) == ("exit", b"/bin/sh", family())


def test_a_zygote_dies_with_its_parent(environment, tmp_path):
    """Killed outright, the parent leaves no interpreter behind."""
    parent = f"""
import sys, time
sys.path.insert(0, {str(Path.cwd())!r})
from pathlib import Path
from tests.workspace.test_forkserver import *
server = ForkServer(choose(tier="bubblewrap"))
Bench(server, prepare(Path({str(environment.site.parents[2])!r}))).test(tree(PASSING), (NODE,))
print(*family(), flush=True)
time.sleep(60)
"""
    env = {**os.environ, "TMPDIR": str(tmp_path)}  # what a killed parent leaves behind is left there
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        zygotes = [Path("/proc", word) for word in process.stdout.readline().decode().split()]
        assert [zygote.exists() for zygote in zygotes] == [True]
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while any(zygote.exists() for zygote in zygotes) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(zygote.exists() for zygote in zygotes)
