"""The grader tests each distinct tree once a stage and ordinal, and never shares a report across experiments."""

import pytest

from tasks.evidence.home import Home
from tasks.evidence.store import EvidenceStore
from tasks.records.attempt import TestReport
from tasks.records.case import Case, Edit, KnownPatch, Sealed, TestNodes, Truth
from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.trials.benches import Benches
from tasks.trials.grader import Grader

CASE = Case(
    case_id="adding",
    group="adding",
    issue="add(1, 2) gives -1",
    constraints="",
    repo=SourceTree.of({"calc.py": "def add(a, b):\n    return a - b\n", "tests/test_calc.py": "..."}),
    scope=("*.py",),
    public=TestNodes(fail_to_pass=("tests/test_calc.py::test_add",)),
)
SEAL = Sealed(
    case_id="adding",
    canary="c",
    tests=SourceTree.of({"tests/test_sealed.py": "..."}),
    nodes=TestNodes(fail_to_pass=("tests/test_sealed.py::test_more",)),
    control=KnownPatch(name="control", why="", edits=()),
    wrong=(),
    truth=Truth(files=("calc.py",), facets=()),
)
FIX = (Edit(path="calc.py", search="a - b", replace="a + b"),)


class CountingBench:
    """A bench that passes trees whose calc.py adds, and counts how often it was asked."""

    def __init__(self):
        self.runs = []

    def test(self, tree, nodes, sealed=None, *, hide_output=False):
        graded = tree if sealed is None else tree.overlaid(sealed)
        self.runs.append((graded.fingerprint, hide_output))
        outcome = "passed" if b"a + b" in graded.by_path["calc.py"].content else "failed"
        return TestReport(
            tree=graded.fingerprint,
            outcomes=dict.fromkeys(nodes, outcome),
            ended="exit",
            shown="",
            tier="bubblewrap",
            tiers=dict.fromkeys(nodes, "in-process"),
        )


@pytest.fixture
def bench():
    return CountingBench()


@pytest.fixture
def grader_of(bench, tmp_path):
    store = EvidenceStore(Home.open(tmp_path / "home"))
    return lambda **scope: Grader(Benches.alike(bench), store, {"manifest": "m", "stage": "s"} | scope)


def test_an_identical_tree_is_tested_once_a_stage(bench, grader_of):
    """Three validations of one patch are one sandbox run, and the grader says so."""
    grader = grader_of()
    validations = {grader.validate(CASE, FIX).fingerprint for _ in range(3)}
    assert (len(validations), len(bench.runs), grader.asked, grader.computed) == (1, 1, 3, 1)


@pytest.mark.parametrize("other", [{"manifest": "n"}, {"stage": "t"}, {"environment": "e"}])
def test_a_report_belongs_to_one_experiment_stage_and_environment(bench, grader_of, other):
    """Another manifest, stage or environment tests the same tree again."""
    grader_of().validate(CASE, FIX)
    grader_of(**other).validate(CASE, FIX)
    assert len(bench.runs) == 2


def test_a_killed_stage_goes_on_with_the_reports_that_it_had(bench, grader_of):
    """A new process with the same scope finds the report in the store."""
    grader_of().validate(CASE, FIX)
    assert grader_of().validate(CASE, FIX).passed
    assert len(bench.runs) == 1


def test_final_trees_are_graded_afresh_as_often_as_asked(bench, grader_of):
    """Two gradings of one tree are two runs, with sealed files on top and their output withheld."""
    grading = grader_of().grade(CASE, SEAL, FIX, times=2)
    whole = CASE.repo.overlaid(SourceTree.of({"calc.py": "def add(a, b):\n    return a + b\n"})).overlaid(SEAL.tests)
    assert bench.runs == [(whole.fingerprint, True)] * 2
    assert (grading.agree, grading.reports[0].all_passed(SEAL.nodes.all)) == (True, True)


def test_a_refused_edit_runs_nothing(bench, grader_of):
    """An edit that matches nothing is told with its reason, and no sandbox starts."""
    validation = grader_of().validate(CASE, (Edit(path="calc.py", search="a * b", replace="a + b"),))
    assert (validation.applied, validation.passed, [refusal.path for refusal in validation.refusals]) == (
        False,
        False,
        ["calc.py"],
    )
    assert bench.runs == []


def test_public_validation_never_carries_sealed_files(bench, grader_of):
    """Development validation tests the patch on the base alone."""
    grader_of().validate(CASE, FIX)
    fixed = CASE.repo.overlaid(SourceTree.of({"calc.py": "def add(a, b):\n    return a + b\n"}))
    assert bench.runs == [(fixed.fingerprint, False)]


class Breaking:
    """A sandbox that breaks under one tree: as often as told, and under a probe only when it is unwell itself."""

    tier = "bubblewrap"

    def __init__(self, times):
        self.times = times

    def test(self, tree, nodes, sealed=None, *, hide_output=False):
        if self.times:
            self.times -= 1
            raise SandboxTrouble("it was killed")
        return TestReport(
            tree=tree.fingerprint, outcomes=dict.fromkeys(nodes, "passed"), ended="exit", shown="", tier="bubblewrap"
        )

    @property
    def sandbox(self):
        return self


@pytest.mark.parametrize(
    ("times", "unwell", "expected"),
    [(1, False, "passed"), (2, False, "missing"), (2, True, SandboxTrouble)],
    ids=["once is chance", "twice is the candidate", "an unwell sandbox is nobody's score"],
)
def test_who_breaks_a_sandbox_twice_has_failed_unless_it_breaks_for_everybody(
    grader_of, monkeypatch, times, unwell, expected
):
    """Reproduced on a healthy sandbox it is a low score, or failing on purpose would be a way out; else trouble."""

    def probed(sandbox):
        if unwell:
            raise SandboxUnavailable("no namespace")

    monkeypatch.setattr("tasks.trials.grader.probe", probed)
    grader = grader_of()
    monkeypatch.setattr(grader, "_benches", Benches.alike(Breaking(times)))
    if expected is SandboxTrouble:
        with pytest.raises(SandboxTrouble, match="no namespace"):
            grader.reproduce(CASE)
    else:
        assert list(grader.reproduce(CASE).outcomes.values()) == [expected]
