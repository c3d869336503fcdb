"""The separate tier with both sides forked: equal to the cold one, and nothing passes from one run to another."""

import gc
import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.environment import prepare
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.grading import INI, ROOT, SITE, Bench
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Limits
from tasks.workspace.separate.judge import _job, judge
from tasks.workspace.separate.placed import ORACLE, scripts
from tests.workspace.test_forkserver import STATE, family
from tests.workspace.test_separate import CODE, HONEST, REFUSED, judged, names

ONE = "from pkg.shop import same\ndef test_it(): assert same(1) == 1\n"
KINDS = """
import os, sys, pytest
from pkg.shop import same
@pytest.fixture
def broken(): raise ValueError("in setup")
@pytest.fixture
def breaking():
    yield
    raise ValueError("in teardown")
def test_right(): assert same(1) == 1
def test_wrong(): assert same(1) == 2
def test_skipped(): pytest.skip("no")
@pytest.mark.xfail
def test_expected(): assert same(1) == 2
def test_setup(broken): pass
def test_teardown(breaking): pass
def test_raises(): same(1).nothing
"""
NODE = "tests/test_shop.py::test_it"
SLEEPING = "import time\ndef same(value): time.sleep(30)\n"


def zygotes(others):
    """Process ids by side, told by the script that each was given, of those that were not there before."""
    found = {}
    for pid in sorted(family().keys() - others, reverse=True):  # the first of each side: the rest are its forks
        command = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        script = next((word for word in reversed(command) if word.endswith(".py")), "")
        found["candidate's" if script.endswith("answering.py") else "tests'"] = pid
    return found


def files_shown(pids):
    """Names of files that lie where a zygote finds the trees of its runs."""
    return {
        side: {path.name for path in Path("/proc", str(pid), "root", "tmp", "trees").rglob("*.py")}
        for side, pid in pids.items()
    }


def killed_while_it_runs(zygote):
    """A run of it has begun a while ago: one that has not would be repeated."""
    assert until(lambda: len([pid for pid, parent in family().items() if parent == zygote]))
    time.sleep(0.7)
    os.kill(zygote, signal.SIGKILL)


def until(seen):
    """What is seen at last, within ten seconds."""
    deadline = time.monotonic() + 10
    while not (found := seen()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def cold(environment):
    try:
        return Bench(choose(tier="bubblewrap"), environment)
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


@pytest.fixture(scope="module")
def warm(cold, environment):
    with ForkServer(cold.sandbox, scripts()) as server:
        yield Bench(server, environment)
        assert server.why_cold == ""


DIES, UNIMPORTABLE = "import os; os._exit(3)\n", "import nothing_of_that_name\n"
RUNS = {
    "what crosses": (HONEST, {}),
    "what is refused": (REFUSED, {}),
    "every outcome": (KINDS, {}),
    "a module that cannot be imported": (ONE, {"code": UNIMPORTABLE, "support": {}}),
    "a candidate that dies": (ONE, {"code": DIES, "support": {}}),
    "a conftest that cannot be loaded": (ONE, {"code": UNIMPORTABLE}),
    "a file that is no Python": ("def test_it(: pass\n", {}),
    "tests that end the run": ("import os\ndef test_it(): os._exit(0)\n", {}),
    "hidden output": (KINDS, {"hide_output": True}),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_warm_grading_reports_what_a_cold_one_reports(cold, warm, name):
    """Outcomes, the way it ended, and every word of the reasons; twice over."""
    tests, options = RUNS[name]
    nodes = (*names(tests), NODE, "tests/test_shop.py::test_missing")
    expected = judged(cold, tests, nodes, **options)
    assert [expected] * 2 == [judged(warm, tests, nodes, **options) for _ in range(2)]


def test_a_warm_grading_ends_at_the_wall_clock(warm):
    """The limit is the run's and not the zygote's."""
    quick = Bench(warm.sandbox, warm.environment, Limits(wall_seconds=2))
    report = judged(quick, "import time\ndef test_it(): time.sleep(60)\n", (NODE,))
    assert ("timeout", False) == (report.ended, report.all_passed((NODE,)))


class Keeping:
    """A sandbox that remembers what it started."""

    def __init__(self, sandbox):
        self.tier, self.sandbox, self.started = sandbox.tier, sandbox, []

    def start(self, job):
        self.started.append(self.sandbox.start(job))
        return self.started[-1]


def test_tests_see_what_they_would_see_cold(cold, warm):
    """Modules, paths, variables, limits, signals, rights, mounts, descriptors, streams: equal, field by field."""
    told = []
    for bench in (cold, warm):
        keeping = Keeping(bench.sandbox)
        judged(Bench(keeping, bench.environment), ONE, (NODE,), support={"tests/conftest.py": STATE})
        told.append(json.loads(keeping.started[1].wait().stdout.partition(b"STATE")[2]))
    assert told[0] == told[1]
    assert {"pytest", "unittest.mock"} < set(told[0]["modules"])
    assert not any(name.partition(".")[0] == "tasks" for name in told[0]["modules"])


POISON = """
import _pytest.runner, builtins, json, os, random, re, sys, pytest
def test_it():
    for module in list(sys.modules.values()):
        vars(module)["POISON"] = 1
    vars(builtins)["@same"].__globals__["Handle"] = vars(builtins)["@same"].__globals__["same"] = None
    random.random = json.dumps = re.compile = pytest.raises = None
    _pytest.runner.check_interactive_exception = None
    for name in ("pathlib", "tempfile"): sys.modules[name] = None
    os.environ["POISON"] = "1"
    for folder in ("/tmp", "/dev/shm", "/work"): open(folder + "/poison", "w").close()
    builtins.len = lambda _: 7
"""
CLEAN = """
import builtins, json, os, pathlib, random, re, sys, tempfile, pytest
from pkg.shop import same
def test_it():
    assert len("ab") == 2
    assert [name for name, module in list(sys.modules.items()) if "POISON" in vars(module)] == []
    assert vars(builtins)["@same"].__globals__["Handle"] and vars(builtins)["@same"].__globals__["same"]
    assert random.random() and json.dumps(1) == "1" and re.compile("a") and pytest.raises
    assert pathlib.Path and tempfile.mkdtemp
    assert "POISON" not in os.environ
    assert os.listdir("/tmp") == os.listdir("/dev/shm") == [] and os.listdir("/work") == ["tests"]
    assert {name for name in os.listdir("/proc") if name.isdigit()} == {"1", str(os.getpid())}
    assert same(1) == 1
"""


def test_nothing_of_a_run_is_left_for_the_next(warm):
    """Module state (ours too), files, variables, patched builtins: the next run meets none of it."""
    judged(warm, POISON, (NODE,), support={})
    report = judged(warm, CLEAN, (NODE,), support={})
    assert {NODE: "passed"} == report.outcomes, report.shown


def test_two_at_once_report_what_each_would_alone(cold, warm):
    """Two threads, several gradings each, one of them of a candidate that dies."""
    runs = [(ONE, {}), (KINDS, {}), (ONE, {"code": DIES, "support": {}})]

    def all_of(bench):
        return [judged(bench, tests, (NODE, *names(tests)), **options) for tests, options in runs]

    expected, seen = all_of(cold), []
    threads = [threading.Thread(target=lambda: seen.append(all_of(warm) + all_of(warm))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [expected * 2] * 2 == seen


def standing(server):
    """Descriptors and threads of ours, forks, and folders that the fork server shows."""
    gc.collect()
    open_now = len(list(Path("/proc/self/fd").iterdir()))
    return open_now, threading.active_count(), family(), sorted(server._folder.rglob("trees/*"))


@pytest.mark.parametrize("seconds", [0, 0.01, 0.03, 0.1, 0.4])
def test_a_kill_in_the_middle_leaves_nothing(warm, seconds):
    """No process, descriptor, thread or folder, whenever it comes; the candidate's side was never there to answer."""
    judged(warm, ONE, (NODE,))
    before = standing(warm.sandbox)
    words = ("oracle", SITE, ROOT, INI, "show", "pkg", NODE)
    with warm.workspaces.view(SourceTree.of({"tests/test_shop.py": ONE}), ROOT) as ours:
        running = warm.sandbox.start(_job(warm, ours, ORACLE, words, results=True))
        assert running.wait(seconds) is None
        running.kill()
    assert ("signal", 9) == (running.wait().how, running.wait().status)
    del running
    assert before == standing(warm.sandbox)


SLEEPS = {"tests'": ("import time\ndef test_it(): time.sleep(30)\n", CODE), "candidate's": (ONE, SLEEPING)}


@pytest.mark.parametrize("side", SLEEPS)
def test_a_zygote_that_is_killed_meanwhile_is_trouble_once(cold, environment, side):
    """Nothing is said of the candidate, and the next grading has another zygote."""
    others = family().keys()
    with ForkServer(cold.sandbox, scripts()) as server:
        bench = Bench(server, environment)
        judged(bench, ONE, (NODE,))
        zygote = zygotes(others)[side]
        killer = threading.Thread(target=killed_while_it_runs, args=(zygote,))
        killer.start()
        tests, code = SLEEPS[side]
        with pytest.raises(SandboxTrouble):
            judged(bench, tests, (NODE,), code=code)
        killer.join()
        assert {NODE: "passed"} == judged(bench, ONE, (NODE,)).outcomes
        assert zygote not in family()
    assert others == family().keys()


def test_the_candidate_sees_its_own_files_only(warm):
    """Not the tests' side of the wire, on the disk or in memory, and neither a zygote nor another tree."""
    code = """
import gc, glob, os, sys
FOUND = sorted(os.path.basename(path) for path in glob.glob("/opt/proveout-separate/**/*.py", recursive=True))
SEEN = sorted(os.listdir("/opt")) + os.listdir("/tmp")
KNOWN = sorted(name for name in sys.modules if "pytest" in name or name.startswith("tasks"))
LEFT = [each for each in gc.get_objects() if type(each).__name__ in ("Link", "Rulings", "ProxyModule", "Importer")]
"""
    tests = """
from pkg.shop import FOUND, KNOWN, LEFT, SEEN
def test_it():
    assert FOUND == ["__init__.py", "answering.py", "codec.py", "frames.py", "scalars.py", "stdlib.py"]
    assert SEEN == ["proveout-separate", "site-packages"]
    assert KNOWN == [] and LEFT == []
"""
    report = judged(warm, tests, (NODE,), code=code, support={})
    assert {NODE: "passed"} == report.outcomes, report.shown


def test_each_side_has_a_zygote_of_its_own_which_is_never_shown_the_others_files(cold, environment):
    """Told from outside, by what lies in the folder that each of them sees while a test runs."""
    others = family().keys()
    data = {f"tests/data/{number}.txt": "" for number in range(300)}  # small trees are never written anywhere
    code = SourceTree.of({"pkg/shop.py": "", **data})
    tests = SourceTree.of({"tests/test_shop.py": "import time\ndef test_it(): time.sleep(2)\n", **data})
    with ForkServer(cold.sandbox, scripts()) as server:
        bench = Bench(server, environment)
        words = (bench, code, tests, (NODE,))
        grading = threading.Thread(target=judge, args=words, kwargs={"tree": "0" * 64, "hide_output": True})
        grading.start()
        seen = until(lambda: len(shown := files_shown(zygotes(others))) == 2 and all(shown.values()) and shown)
        grading.join()
    assert {"candidate's": {"shop.py"}, "tests'": {"test_shop.py"}} == seen


def test_what_is_graded_beside_its_tests_is_not_forked(cold, environment):
    """A grading beside the candidate's code starts cold under the same server."""
    others = family().keys()
    with ForkServer(cold.sandbox, scripts()) as server:
        bench = Bench(server, environment)
        tree = SourceTree.of({"tests/test_shop.py": "def test_it(): pass\n"})
        assert bench.test(tree, (NODE,)).all_passed((NODE,))
        assert others == family().keys()
        judge(bench, tree, tree, (NODE,), tree="0" * 64, hide_output=True)
        assert len(family().keys() - others) == 2
