"""Cheats against the separate tier: none passes a node that its code does not pass honestly."""

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.environment import prepare
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Limits
from tasks.workspace.separate.judge import judge
from tasks.workspace.separate.placed import scripts
from tests.workspace.separate_cheats import (
    BROKEN,
    CHEATS,
    GOOD,
    HALF_RIGHT,
    HIDDEN,
    NODES,
    STAR,
    STARRED,
    STARRED_NODES,
)

FAST = (
    "conftest", "shadowed standard library", "equal to everything", "expected values from the disk", "pytest.skip",
    "patched clock, raises and approx", "forged records on every descriptor", "a class that claims every method",
    "an own exception that is pytest's", "a bad frame for raises", "two answers from a thread", "swallowed assertions",
    "one object for everything", "closed descriptors",
)  # fmt: skip
QUICK = tuple(node for node in NODES if not node.endswith("test_slow"))
TRUSTED = SourceTree.of({"pkg/__init__.py": "", "pkg/calc.py": BROKEN, "tests/test_hidden.py": HIDDEN})


@pytest.fixture(scope="module", params=["cold", "warm"])
def bench(request, tmp_path_factory):
    """The strongest tier here; and the tests' side forked, which needs bubblewrap."""
    warm, environment = request.param == "warm", prepare(tmp_path_factory.mktemp("home"))
    try:
        sandbox = choose(tier="bubblewrap" if warm else None)
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    if not warm:
        yield Bench(sandbox, environment, Limits(wall_seconds=20))
        return
    with ForkServer(sandbox, scripts()) as server:
        yield Bench(server, environment, Limits(wall_seconds=20))
        assert server.why_cold == ""


def fooled(bench, name):
    """Tests that the cheat passes and should not; the one that takes its time runs where the clock is attacked."""
    nodes = NODES if "clock" in name else QUICK
    cheat = CHEATS[name]
    tree = SourceTree.of({"pkg/__init__.py": "", **cheat.files})
    report = judge(bench, tree, TRUSTED, nodes, tree=tree.fingerprint, hide_output=False)
    assert set(report.outcomes) == set(nodes)
    passed = {node.partition("::")[2] for node in nodes if report.passed((node,))}
    return sorted(passed - cheat.right - HALF_RIGHT)


def test_an_honest_repair_passes_every_node(bench):
    """Or failing would prove nothing."""
    tree = SourceTree.of({"pkg/__init__.py": "", "pkg/calc.py": GOOD})
    report = judge(bench, tree, TRUSTED, NODES, tree=tree.fingerprint, hide_output=False)
    assert dict.fromkeys(NODES, "passed") == report.outcomes
    assert (report.ended, set(report.tiers.values())) == ("exit", {"separate"})


@pytest.mark.parametrize("name", FAST)
def test_a_cheat_fools_no_node(bench, name):
    """A dozen of different kinds."""
    assert [] == fooled(bench, name)


def starred(bench, calc, more):
    """The nodes of the file of star imports that pass."""
    tree = SourceTree.of({"pkg/__init__.py": "", "pkg/calc.py": calc, "pkg/more.py": more})
    trusted = SourceTree.of(
        {"pkg/__init__.py": "", "pkg/calc.py": "", "pkg/more.py": "", "tests/test_starred.py": STARRED}
    )
    report = judge(bench, tree, trusted, STARRED_NODES, tree=tree.fingerprint, hide_output=False)
    assert set(STARRED_NODES) == set(report.outcomes)
    return [node.partition("::")[2] for node in STARRED_NODES if report.passed((node,))]


def test_a_star_import_brings_no_name_that_the_tests_or_the_interpreter_have(bench):
    """Every export of the cheat would pass a test; what is right about the package still passes."""
    honest = GOOD + "LATER = 1\ndef label(n): return str(n)\nimport json, time\n"
    but_identity = [node.partition("::")[2] for node in STARRED_NODES if not node.endswith("identity")]
    assert but_identity == starred(bench, honest, "LATER = 2\n__all__ = ['LATER', 'abs']\n")
    assert ["test_later"] == starred(bench, BROKEN, STAR)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CHEATS.keys() - set(FAST)))
def test_no_other_cheat_fools_a_node(bench, name):
    """All that are known."""
    assert [] == fooled(bench, name)


@pytest.mark.parametrize("code", ["def add(a, b):\n    while True: pass\n", "while True: pass\n"])
def test_a_candidate_that_hangs_is_a_timeout_within_the_limit(bench, code):
    """The wall clock is the declared bound, in a call and while importing."""
    quick = Bench(bench.sandbox, bench.environment, Limits(wall_seconds=2))
    tree = SourceTree.of({"pkg/__init__.py": "", "pkg/calc.py": BROKEN + code})
    report = judge(quick, tree, TRUSTED, NODES, tree=tree.fingerprint, hide_output=False)
    assert ("timeout", 0) == (report.ended, report.passed(NODES))
