"""Control: a harness that cannot tell broken from repaired is refused, by name."""

import re

import pytest

from tasks.control import control
from tasks.records.case import Case, Edit, KnownPatch, Sealed, TestNodes, Truth
from tasks.records.errors import HarnessUnproven
from tasks.records.tree import SourceTree
from tests.small import small_corpus, small_laboratory, with_seal

CASE = "invoice-quantity"


def on_one_case(folder, corpus):
    """A laboratory whose experiment has the invoice case alone: each row takes as long as every other one."""
    lab = small_laboratory(folder, corpus)
    lab.manifest = lab.manifest.model_copy(update={"train_ids": (), "dev_ids": (), "holdout_ids": (CASE,)})
    return lab


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    """What control makes of the invoice case as it is."""
    lab = on_one_case(tmp_path_factory.mktemp("proven"), small_corpus())
    with lab.held:
        return control(lab, lab.manifest)


def test_a_sound_harness_holds_twice_over_where_something_has_to_pass(proven):
    """Untouched, no-op, control and known-wrong trees; the rule says all three verdicts."""
    assert {row.held for row in proven.rows} == {True}
    known = [row for row in proven.rows if not row.patch.startswith("trivial")]
    assert [(row.patch, row.must) for row in known] == [
        ("untouched", "fail"),
        ("no-op", "fail"),
        ("control", "pass"),
        ("one-quantity-for-all", "fail sealed alone"),
        ("pieces-added", "fail"),
    ]
    assert [len(row.tallies) for row in known] == [2, 1, 2, 1, 1]
    assert [(row.name, row.got) for row in proven.rule] == [
        ("known-better", "PROMOTE"),
        ("identical", "INSUFFICIENT"),
        ("known-worse", "REJECT"),
    ]


def test_trivial_answers_are_graded_once_each(proven):
    """`Invoice.total` takes nothing but self, so that there is no argument to hand back."""
    rows = [row for row in proven.rows if row.patch.startswith("trivial")]
    assert [row.patch for row in rows] == ["trivial: None", "trivial: NaN", "trivial: empty", "trivial: constant"]
    assert {(row.must, row.held, len(row.tallies)) for row in rows} == {("fail", True, 1)}
    assert max(row.tallies[0].sealed for row in rows) < 8


def test_broken_code_of_the_invoice_case_scores_half_of_its_sealed_tests(proven):
    """Four of eight: what the case promises about its untouched code."""
    tally = next(row for row in proven.rows if row.patch == "untouched").tallies[0]
    assert (tally.sealed, tally.sealed_of, tally.public) == (4, 8, 2)


def patch(name, *edits, **marks):
    return KnownPatch(name=name, why="test", edits=edits, **marks)


def next_number(step):
    return Edit(path="m.py", search="number - 1", replace=step)


TESTS = """
from m import next_number, same

def test_{}():
    assert next_number(0) == 1

def test_it_{}():
    assert same(4) == 4
"""
NUMBERS = Case(
    case_id=CASE, group="numbers", issue="The number after 0 is 1.", constraints="", scope=("m.py",),
    repo=SourceTree.of({
        "m.py": "def next_number(number):\n    return number - 1\n\ndef same(number):\n    return number\n",
        "tests/test_m.py": TESTS.format("next", "stays"),
    }),
    public=TestNodes(fail_to_pass=("tests/test_m.py::test_next",), pass_to_pass=("tests/test_m.py::test_it_stays",)),
)  # fmt: skip
SEAL = Sealed(
    case_id=CASE, canary="c", tests=SourceTree.of({"tests/test_sealed_m.py": TESTS.format("again", "too")}),
    nodes=TestNodes(
        fail_to_pass=("tests/test_sealed_m.py::test_again",), pass_to_pass=("tests/test_sealed_m.py::test_it_too",)
    ),
    control=patch("control", next_number("number + 1")),
    wrong=(patch("too-good", next_number("1 + number")), patch("admitted", next_number("number"), passes_public=True)),
    truth=Truth(files=("m.py",), facets=()),
)  # fmt: skip


def on_numbers(folder, **changes):
    """The same with a case of four tests in the place of the invoice."""
    lab = on_one_case(folder, small_corpus())
    lab.corpus = lab.corpus.model_copy(update={"cases": (NUMBERS,), "sealed": (SEAL.model_copy(update=changes),)})
    return lab


def failing_control(seal):
    return {"control": patch("control", next_number("number"))}


def passing_untouched(seal):
    return {"nodes": seal.nodes.model_copy(update={"fail_to_pass": seal.nodes.pass_to_pass, "pass_to_pass": ()})}


def missing_node(seal):
    return {"nodes": seal.nodes.model_copy(update={"pass_to_pass": ("tests/test_sealed_m.py::test_gone",)})}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (failing_control, f"case '{CASE}': control must pass, 1/2 public 1/2 sealed, 1/2 public 1/2 sealed"),
        pytest.param(passing_untouched, f"case '{CASE}': untouched must fail, 1/2 public 1/1", marks=pytest.mark.slow),
        pytest.param(missing_node, f"case '{CASE}': control must pass, 2/2 public 1/2", marks=pytest.mark.slow),
    ],
)
def test_a_row_that_does_not_come_out_as_it_must_refuses_the_harness(tmp_path, spoil, said):
    """The refusal names the case, the patch and what passed."""
    lab = on_numbers(tmp_path, wrong=(), **spoil(SEAL))
    with lab.held, pytest.raises(HarnessUnproven, match=said):
        control(lab, lab.manifest)


def test_every_tree_that_weak_sealed_tests_let_through_is_named(tmp_path):
    """A wrong patch that passes, one that public tests do not admit after all, and the answer of the only example."""
    lab = on_numbers(tmp_path)
    with lab.held, pytest.raises(HarnessUnproven) as refused:
        control(lab, lab.manifest)
    assert re.findall(r"case 'invoice-quantity': (.+?)(?:; |$)", str(refused.value)) == [
        "too-good must fail, 2/2 public 2/2 sealed",
        "admitted must fail sealed alone, 1/2 public 1/2 sealed",
        "trivial: constant must fail, 2/2 public 2/2 sealed",
    ]


def test_a_control_patch_that_does_not_apply_is_named(tmp_path):
    """A corpus whose control patch is stale is refused before a sandbox is started for it."""
    corpus = small_corpus()
    stale = Edit(path="atelier/invoice.py", search="nowhere", replace="x")
    lab = on_one_case(tmp_path, corpus)
    lab.corpus = with_seal(corpus, CASE, control=patch("control", stale))
    with lab.held, pytest.raises(HarnessUnproven, match=f"patch 'control' of case '{CASE}' does not apply"):
        control(lab, lab.manifest)


def test_a_rule_that_cannot_promote_the_known_better_is_refused(tmp_path):
    """A policy that asks for an effect beyond what a score can hold proves nothing, of whatever cases."""
    lab = on_one_case(tmp_path, small_corpus())
    policy = lab.manifest.policy.model_copy(update={"minimum_effect": 0.99})
    lab.manifest = lab.manifest.model_copy(update={"policy": policy, "holdout_ids": ()})
    with lab.held, pytest.raises(HarnessUnproven, match="rule: known-better must bring PROMOTE, got INSUFFICIENT"):
        control(lab, lab.manifest)
