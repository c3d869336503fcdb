"""Twinned grading in a real sandbox: what is planned, and how known trees are judged by it."""

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.environment import prepare
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose
from tasks.workspace.twinned import judge, planned

FILE = "tests/test_sum.py"
SEALED = """
import pytest
from calc import both, total
SEEN = []
def test_total():
    assert total([1, 2, 3]) == 4731
def test_refused():
    with pytest.raises(ValueError):
        total(["x"])
def test_once():
    SEEN.append(1)
    assert len(SEEN) == 1
def test_swapped():
    assert both() == {"left": None, "right": None}
@pytest.mark.parametrize("x", [1, 2])
@pytest.mark.parametrize("y", [1, 2])
def test_stacked(x, y): assert x + y
class TestMore:
    @pytest.fixture
    def xs(self): return [3]
    @pytest.mark.parametrize(("n", "want"), [(1, 4729), (61, 4789)])
    def test_times(self, xs, n, want, tmp_path): assert total([*xs, n]) == want
"""
PUBLIC = "from calc import total\ndef test_public(): assert total([]) == 4725\n"
GOOD = "def total(xs): return sum(map(int, xs)) + 4725\ndef both(): return {'left': None, 'right': None}\n"
CONTROL = SourceTree.of({"calc.py": GOOD, "tests/test_public.py": PUBLIC})
SEAL = SourceTree.of({FILE: SEALED})
TOTAL, REFUSED, ONCE, SWAPPED = (f"{FILE}::test_{name}" for name in ("total", "refused", "once", "swapped"))
STACKED, TIMES, KNOWN = (
    f"{FILE}::test_stacked[1-2]",
    f"{FILE}::TestMore::test_times[61-4789]",
    "tests/test_public.py::test_public",
)
NODES = (TOTAL, REFUSED, ONCE, SWAPPED, STACKED, TIMES, KNOWN)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    try:
        return Bench(choose(), prepare(tmp_path_factory.getbasetemp() / "twins"))
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


@pytest.fixture(scope="module")
def plans(bench):
    untouched = SourceTree.of({"calc.py": GOOD.replace("4725", "0"), "tests/test_public.py": PUBLIC})
    return {plan.node: plan for plan in planned(bench, CONTROL, SEAL, NODES, untouched=untouched)}


def judged(bench, plans, calc, **options):
    """The twinned nodes on a tree with another calc.py."""
    tree = SourceTree.of({"calc.py": calc, "tests/test_public.py": PUBLIC})
    twinned = tuple(plan for plan in plans.values() if plan.tier == "twinned")
    return judge(bench, tree, SEAL, twinned, **{"hide_output": True, **options})


def test_a_plan_says_what_its_twins_are_worth(plans):
    """By the rule of `families`, and nothing for what is public or passed before."""
    assert {node: (plan.tier, plan.bits, plan.why) for node, plan in plans.items()} == {
        TOTAL: ("twinned", 3.0, ""),
        REFUSED: ("twinned", 0.0, "it passes before any patch"),
        ONCE: ("in-process", 0.0, "nothing that it expects can be changed so that the control patch fails"),
        SWAPPED: ("twinned", 0.0, "it passes before any patch"),
        STACKED: ("in-process", 0.0, "its row of parameters cannot be told from its source"),
        TIMES: ("twinned", 3.0, ""),
        KNOWN: ("twinned", 0.0, "its test is public"),
    }
    by_order = {
        "the original does not pass beside its twins",
        "nothing that it expects can be changed so that the control patch fails",
    }
    assert plans[ONCE].why in by_order


def test_the_control_patch_passes_and_its_report_is_the_same_every_time(bench, plans):
    """Names and order are drawn afresh, and nothing of them is reported."""
    first, second = (judged(bench, plans, GOOD) for _ in range(2))
    graded = CONTROL.overlaid(SEAL)
    assert (graded.fingerprint, "exit", bench.sandbox.tier) == (first.tree, first.ended, first.tier)
    assert {"passed"} == set(first.outcomes.values())
    assert {TOTAL, TIMES} == {node for node, tier in first.tiers.items() if tier == "twinned"}
    assert first == second


@pytest.mark.parametrize(
    "calc", [GOOD.replace("4725", "0"), GOOD.replace("4725", "4726"), GOOD.replace("sum", "len"), "import nothing", ""]
)
def test_a_wrong_tree_is_judged_as_without_twins(bench, plans, calc):
    """Outcome by outcome; one value beside the right one too, and a tree that does not import."""
    report = judged(bench, plans, calc)
    tree = SourceTree.of({"calc.py": calc, "tests/test_public.py": PUBLIC})
    plain = bench.test(tree, tuple(report.outcomes), SEAL, hide_output=True)
    assert (plain.outcomes, plain.ended, plain.tree) == (report.outcomes, report.ended, report.tree)


def test_an_object_that_equals_everything_passes_nothing(bench, plans):
    """The gap of the tier below."""
    calc = "class Any:\n    def __eq__(self, other): return True\n    def __mul__(self, n): return self\n"
    report = judged(bench, plans, calc + "total = both = lambda *xs: Any()\n")
    assert report.passed(NODES) == 0


def test_what_is_shown_has_the_names_that_people_know(bench, plans):
    """It comes from a run without twins."""
    shown = judged(bench, plans, GOOD.replace("4725", "0"), hide_output=False).shown
    assert f"{TOTAL}: failed in call" in shown
    assert "assert 6 == 4731" in shown


def test_a_test_file_that_is_not_the_planned_one_fails(bench, plans):
    """Twins belong to a text; a candidate that rewrites its public tests has none."""
    tree = SourceTree.of({"calc.py": GOOD, "tests/test_public.py": PUBLIC + "\n"})
    assert judge(bench, tree, None, (plans[KNOWN], plans[TOTAL]), hide_output=True).outcomes == {
        KNOWN: "error", TOTAL: "missing"
    }  # fmt: skip
