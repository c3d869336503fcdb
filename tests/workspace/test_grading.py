"""Grading: exact outcomes by hand, and cheats that must not pass."""

import json
import os
import py_compile
import sys

import pytest

from tasks.records.attempt import TestReport
from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.environment import prepare
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.grading import Account, Bench, Forged, bounded
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Ended, Limits

TESTS = """
import unittest
import pytest
from calc import add

def test_right(): assert True
def test_wrong(tmp_path): assert add(1, 2) == 3
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail
def test_expected(): assert False
@pytest.mark.xfail
def test_unexpected(): pass
@pytest.mark.parametrize("x", [1, 2])
def test_each(x): assert x == 1
@pytest.fixture
def leaving():
    yield
    raise ValueError("left")
def test_teardown(leaving): pass
class TestSub(unittest.TestCase):
    def test_parts(self):
        for part in range(3):
            with self.subTest(part=part): self.assertNotEqual(part, 1)
"""
TREE = SourceTree.of(
    {"calc.py": "def add(a, b):\n    return a - b\n", "tests/test_calc.py": TESTS, "tests/test_no.py": "import nothing"}
)
EXPECTED = {
    "tests/test_calc.py::test_right": "passed", "tests/test_calc.py::test_wrong": "failed",
    "tests/test_calc.py::test_skipped": "skipped", "tests/test_calc.py::test_expected": "skipped",
    "tests/test_calc.py::test_unexpected": "skipped", "tests/test_calc.py::test_each[1]": "passed",
    "tests/test_calc.py::test_each[2]": "failed", "tests/test_calc.py::test_teardown": "error",
    "tests/test_calc.py::TestSub::test_parts": "failed", "tests/test_calc.py::test_absent": "missing",
    "tests/test_no.py::test_any": "error", "tests/test_absent.py::test_any": "missing",
}  # fmt: skip
NODE = "tests/test_calc.py::test_add"
ONE = "from calc import add\ndef test_add(): assert add(1, 2) == 3\n"


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session", params=["cold", "forked"])
def bench(environment, request):
    """The strongest tier here; and the fork server, which needs bubblewrap."""
    try:
        sandbox = choose(tier=None if request.param == "cold" else "bubblewrap")
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    if request.param == "cold":
        yield Bench(sandbox, environment, Limits(wall_seconds=20))
        return
    with ForkServer(sandbox) as server:
        yield Bench(server, environment, Limits(wall_seconds=20))
        assert server.why_cold == ""


def graded(bench, files, **options):
    """The one node of a tree whose add() is wrong unless `files` say otherwise."""
    base = {"calc.py": "def add(a, b):\n    return a - b\n", "tests/test_calc.py": ONE}
    return bench.test(SourceTree.of({**base, **files}), (NODE,), **options)


def test_a_fork_reports_what_a_cold_run_reports(environment):
    """Every kind of outcome, its text included, bit for bit."""
    try:
        cold = choose(tier="bubblewrap")
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    with ForkServer(cold) as server:
        forked = Bench(server, environment).test(TREE, tuple(EXPECTED))
    assert Bench(cold, environment).test(TREE, tuple(EXPECTED)) == forked


@pytest.mark.parametrize("tier", ["bubblewrap", "landlock", "none"])
def test_every_kind_of_outcome_is_told_apart(environment, tier):
    """Expected by hand for each node, and the same twice over, bit for bit."""
    try:
        bench = Bench(choose(allow_unsafe=True, tier=tier), environment)
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    first, second = (bench.test(TREE, tuple(EXPECTED)) for _ in range(2))
    assert (EXPECTED, "exit", tier, TREE.fingerprint) == (first.outcomes, first.ended, first.tier, first.tree)
    assert first == second
    assert "tests/test_calc.py::test_wrong: failed in call\n" in first.shown
    assert "E   assert -1 == 3" in first.shown
    assert not {"/tmp/proveout", "site-packages/site-packages", "\x1b", os.sep + "root"} & set(first.shown.split())


def test_shown_text_names_no_place_of_the_host(bench, environment):
    """Neither the temporary folder, nor the interpreter's, nor the environment's appears."""
    shown = graded(bench, {"calc.py": "import json\ndef add(a, b): json.loads('{')\n"}).shown
    assert "python/lib/python3" in shown
    assert not [
        place for place in (str(environment.site), str(environment.python.parents[1]), "proveout-") if place in shown
    ]


def test_addresses_and_durations_do_not_reach_the_report(bench):
    """They differ from run to run, and a report is named by its content."""
    shown = graded(bench, {"calc.py": "def add(a, b): raise ValueError(object(), '0.123s', '\\x1b[31m')\n"}).shown
    assert "<object object at 0x...>" in shown
    assert "'...s'" in shown


def test_sealed_files_win_over_the_tree_and_are_part_of_its_fingerprint(bench):
    """A candidate that brings its own copy of a sealed test is graded by the sealed one."""
    tree = SourceTree.of({"calc.py": "def add(a, b): return 0\n", "tests/test_calc.py": "def test_add(): pass\n"})
    sealed = SourceTree.of({"tests/test_calc.py": ONE})
    report = bench.test(tree, (NODE,), sealed, hide_output=True)
    assert (report.outcomes, report.ended, report.shown) == ({NODE: "failed"}, "exit", "")
    assert SourceTree.of({"calc.py": "def add(a, b): return 0\n", "tests/test_calc.py": ONE}).fingerprint == report.tree


def test_a_src_layout_is_importable(bench):
    """Packages below src/ are found as an installed project would find them."""
    files = {"src/calc.py": "def add(a, b): return a + b\n", "tests/test_calc.py": ONE}
    assert bench.test(SourceTree.of(files), (NODE,)).all_passed((NODE,))


def test_a_conftest_may_import_the_package_under_test(bench):
    """The tree is importable before its first conftest is."""
    files = {"src/calc.py": "def add(a, b): return a + b\n", "conftest.py": "import calc\n", "tests/test_calc.py": ONE}
    assert bench.test(SourceTree.of(files), (NODE,)).all_passed((NODE,))


def test_only_the_named_nodes_run(bench):
    """A neighbour in the same file that would hang is not started."""
    files = {
        "tests/test_calc.py": ONE + "def test_hang():\n    while True: pass\n",
        "calc.py": "def add(a, b): return a + b\n",
    }
    assert graded(bench, files).all_passed((NODE,))


EXIT = "import os; os._exit(0)"
FORGE = """
import json, os
def write(**record):
    for fd in range(3, 256):
        try: os.write(fd, json.dumps({"xfail": False, "text": "", **record}).encode() + b"\\n")
        except OSError: pass
"""
FORGED_PHASES = """
for when in ("setup", "call", "teardown"):
    write(kind="phase", node="tests/test_calc.py::test_add", when=when, outcome="passed")
"""
CHEATS = {
    "os._exit": {"calc.py": EXIT},
    "exit in an atexit handler": {"calc.py": "import atexit, os; atexit.register(os._exit, 0)\nadd = max\n"},
    "sys.exit": {"calc.py": "raise SystemExit(0)"},
    "printed results": {"calc.py": "print('1 passed in 0.01s')\ndef add(a, b):\n    print('PASSED'); return 0\n"},
    "sitecustomize": {"sitecustomize.py": EXIT},
    "addopts": {"pytest.ini": "[pytest]\naddopts = --collect-only --color=yes -p evil\n", "evil.py": ""},
    "pytest.toml": {".pytest.toml": "[pytest]\naddopts = ['--collect-only']\n"},
    "pyproject": {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n"},
    "entry point": {
        "evil-1.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        "evil-1.dist-info/METADATA": "Name: evil\nVersion: 1\n",
        "evil.py": EXIT,
    },
    "shadowed pytest": {"pytest.py": EXIT, "pytest/__init__.py": "", "_pytest/__init__.py": ""},
    "shadowed pluggy": {"pluggy/__init__.py": EXIT, "iniconfig/__init__.py": EXIT, "packaging/__init__.py": EXIT},
    "pytest.exit": {"calc.py": "import pytest; pytest.exit('done', returncode=0)"},
    "skip": {"calc.py": "import pytest; pytest.skip('', allow_module_level=True)"},
    "skip in the call": {"calc.py": "import pytest\ndef add(a, b): pytest.skip('')\n"},
    "raised skip": {"calc.py": "import unittest\ndef add(a, b): raise unittest.SkipTest\n"},
    "killed runner": {"calc.py": "import os; os.kill(os.getppid(), 9); os.kill(os.getpid(), 9)"},
    "thread that exits": {
        "calc.py": "import os, threading\nthreading.Timer(0, os._exit, [0]).start()\nwhile True: pass"
    },
    "endless output": {"calc.py": "while True: print('passed' * 1000)"},
    "forged records beside the real ones": {
        "calc.py": FORGE + FORGED_PHASES + "def add(a, b): return 0\n"
    },
    "forged end": {"calc.py": FORGE + "write(kind='end', status=0)\nadd = max\n"},
}  # fmt: skip


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_does_not_pass(bench, cheat):
    """Each makes an exit status or a printed line look like success somewhere; none makes a node pass here."""
    assert graded(bench, CHEATS[cheat]).passed((NODE,)) == 0


def test_planted_bytecode_is_not_read(bench, tmp_path):
    """A tree from a snapshot holds no bytecode; even one that does cannot shadow its own source."""
    (tmp_path / "calc.py").write_text("def add(a, b): return a + b\n")
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(tmp_path / "calc.py"), str(tmp_path / "calc.pyc"), doraise=True, invalidation_mode=unchecked)
    planted = {f"__pycache__/calc.{sys.implementation.cache_tag}.pyc": (tmp_path / "calc.pyc").read_bytes()}
    assert graded(bench, planted).passed((NODE,)) == 0


def test_an_object_that_equals_everything_passes_in_process(bench):
    """A known gap: what shares a process with its tests can fool them. Twins or a separate process stop this one."""
    files = {"calc.py": "class Any:\n    def __eq__(self, other): return True\ndef add(a, b): return Any()\n"}
    assert graded(bench, files).all_passed((NODE,))


def test_records_forged_in_time_pass_in_process(bench):
    """A known gap: all records, an end, and an exit status that agrees with it, written before the real ones."""
    files = {"calc.py": f"{FORGE}{FORGED_PHASES}\nwrite(kind='end', status=0)\nos._exit(0)\n"}
    assert graded(bench, files).all_passed((NODE,))


def test_a_hang_is_a_timeout_in_which_what_passed_before_counts_for_nothing(environment):
    """`passed` is 0 unless the process ended by itself."""
    tests = "def test_a(): pass\ndef test_b():\n    while True: pass\n"
    nodes = ("tests/test_x.py::test_a", "tests/test_x.py::test_b")
    bench = Bench(choose(), environment, Limits(wall_seconds=2.5))
    report = bench.test(SourceTree.of({"tests/test_x.py": tests}), nodes)
    assert (report.ended, report.passed(nodes)) == ("timeout", 0)
    assert report.outcomes[nodes[0]] != "missing"


def test_trouble_of_the_sandbox_is_no_report(environment):
    """A dead sandbox is never a score."""

    class Dead:
        tier = "bubblewrap"

        def run(self, job):
            raise SandboxTrouble("dead")

    with pytest.raises(SandboxTrouble):
        Bench(Dead(), environment).test(SourceTree.of({"tests/test_calc.py": ONE}), (NODE,))


def line(**record):
    return json.dumps({"xfail": False, "text": "", **record}).encode() + b"\n"


PASSED = b"".join(line(kind="phase", node="n", when=when, outcome="passed") for when in ("setup", "call", "teardown"))


@pytest.mark.parametrize(
    "results",
    [
        PASSED + PASSED, PASSED + line(kind="end", status=0) + line(kind="end", status=0), b"{}\n", b"[]\n", b"\xff\n",
        line(kind="phase", node="n", when="call", outcome="passed"), line(kind="magic", node="n"),
        line(kind="end", status=0) + PASSED, b"[" * 100_000 + b"\n", b'{"kind": "end", "status": 1e400}\n',
        b'{"kind": "phase", "node": "n", "when": "setup", "outcome": "passed", "text": ""}\n',
        line(kind="phase", node=[], when="setup", outcome="passed"), line(kind="collect", node={}), line(kind=[]),
    ],
)  # fmt: skip
def test_records_that_pytest_cannot_have_written_are_forged(results):
    """A second account of one node, anything after the end, a phase out of turn, no record at all."""
    with pytest.raises(Forged):
        Account.read(results)


@pytest.mark.parametrize(("said", "seen"), [(0, 1), (1, 0), (None, 0)])
def test_an_end_that_disagrees_with_the_outside_is_a_mismatch(environment, said, seen):
    """The status in the end record must be the one that the kernel saw."""
    results = PASSED + (b"" if said is None else line(kind="end", status=said))

    class Scripted:
        tier = "none"

        def run(self, job):
            return Ended("exit", seen, b"", b"", results, truncated=False, seconds=0.0)

    report = Bench(Scripted(), environment).test(SourceTree.of({"n": ""}), ("n",))
    tiers = {"n": "in-process"}
    mismatch = TestReport(
        tree=report.tree, outcomes={"n": "passed"}, ended="mismatch", shown="", tier="none", tiers=tiers
    )
    assert mismatch == report
    assert report.passed(("n",)) == 0


def test_shown_text_carries_no_escapes_and_no_lone_surrogates():
    """Forged records may carry anything; a report must be printable and have a fingerprint."""
    assert (
        bounded(["\x1b[31m \udc80 /tmp/proveout-ab12_x/tree"]).replace("\ufffd /", "? /")
        == "\ufffd[31m ? /tmp/proveout/tree"
    )


def test_shown_text_is_bounded_in_bytes():
    """4,000 bytes, whatever the alphabet, and the cut is told."""
    assert len(bounded(["\u00e9" * 4_000]).encode()) <= 4_000
    assert bounded(["\u00e9" * 4_000]).endswith("(more was cut)")
    assert bounded(["a", "b"]) == "a\n\nb"
