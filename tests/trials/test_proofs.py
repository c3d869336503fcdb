"""Proofs: what several runs of a control patch's tests show, in the sandbox."""

import pytest

from tasks.records.case import Case, Edit, KnownPatch, Sealed, TestNodes, Truth
from tasks.records.errors import Refusal
from tasks.records.tree import SourceTree
from tasks.trials.proofs import prove
from tasks.workspace.environment import prepare
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose

CODE = "import time\n\n\ndef late(seconds):\n    time.sleep(seconds)\n    return 1\n"
PUBLIC = "from calm import late\n\n\ndef test_late():\n    assert late(0.2) == 2\n"
SEALED = """
import os

import pytest

from calm import late

SEEN = []


def test_first():
    SEEN.append("first")
    assert late(0) == 2


def test_after_the_first():
    assert SEEN == ["first"]


def test_never():
    assert late(0) == 3


@pytest.mark.parametrize("turn", range(30))
def test_coin(turn):
    assert os.urandom(1)[0] % 2 == 0
"""
STEADY = ("tests/test_sealed.py::test_first",)
COINS = tuple(f"tests/test_sealed.py::test_coin[{turn}]" for turn in range(30))
UNSTEADY = ("tests/test_sealed.py::test_after_the_first", "tests/test_sealed.py::test_never", *COINS)
CASE = Case(
    case_id="calm",
    group="calm",
    issue="late says 1",
    constraints="",
    repo=SourceTree.of({"calm.py": CODE, "tests/test_public.py": PUBLIC}),
    scope=("*.py",),
    public=TestNodes(fail_to_pass=("tests/test_public.py::test_late",)),
)


def seal(*nodes, search="return 1"):
    edits = (Edit(path="calm.py", search=search, replace="return 2"),)
    return Sealed(
        case_id="calm",
        canary="canary",
        tests=SourceTree.of({"tests/test_sealed.py": SEALED}),
        nodes=TestNodes(fail_to_pass=nodes),
        control=KnownPatch(name="control", why="", edits=edits),
        wrong=(),
        truth=Truth(files=("calm.py",), facets=()),
    )


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A real sandbox with pytest in it."""
    return Bench(choose(), prepare(tmp_path_factory.mktemp("home")))


def test_tests_that_change_their_mind_or_never_pass_are_found(bench):
    """One that needs its neighbour fails without it; thirty coins fall alike three times once in 4**30."""
    found = prove(CASE, seal(*STEADY, *UNSTEADY), bench, repeats=3, slow_seconds=60).findings
    kinds = {finding.detail.split(" of ")[0]: finding.kind for finding in found}
    assert kinds.pop("tests/test_sealed.py::test_after_the_first") == "flaky-test"
    assert kinds.pop("tests/test_sealed.py::test_never") == "failing-control"
    assert "flaky-test" in {kind for node, kind in kinds.items() if node in COINS}
    assert set(kinds) <= set(COINS)
    assert {finding.where for finding in found} == {("sealed/calm/tests/tests/test_sealed.py",)}
    said = "of 'calm' says of its control patch in 3 runs: passed, failed, passed"
    assert any(finding.detail == f"{UNSTEADY[0]} {said}" for finding in found)


def test_slow_tests_are_found_and_a_steady_one_is_not(bench):
    """A fifth of a second of sleep is more than the 0.1 that are allowed, in every run."""
    proof = prove(CASE, seal(*STEADY), bench, repeats=2, slow_seconds=0.1)
    assert ["slow-tests"] == [finding.kind for finding in proof.findings]
    assert proof.findings[0].detail.startswith("the tests of 'calm' take more than 0.1 s, the fastest run ")
    assert proof.seconds > 0.2


def test_a_control_patch_that_does_not_apply_is_not_run(bench):
    """Reading has a finding for it."""
    assert prove(CASE, seal(*STEADY, search="return 7"), bench, repeats=2) == ("calm", None, ())


def test_one_run_proves_nothing(bench):
    """It cannot differ from itself."""
    with pytest.raises(Refusal, match="repeats = 1: expected at least 2"):
        prove(CASE, seal(*STEADY), bench, repeats=1)
