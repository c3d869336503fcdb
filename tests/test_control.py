"""Control: a harness that cannot tell broken from repaired is refused, by name."""

import pytest

from tasks.control import control
from tasks.records.case import Edit, KnownPatch
from tasks.records.errors import HarnessUnproven
from tests.small import small_corpus, small_laboratory, with_seal


def test_a_sound_harness_holds_twice_over(tmp_path):
    """Untouched, no-op, control and known-wrong trees of three cases; the rule says all three verdicts."""
    lab = small_laboratory(tmp_path, small_corpus())
    proven = control(lab, lab.manifest)
    assert {row.held for row in proven.rows} == {True}
    assert {len(row.tallies) for row in proven.rows} == {2}
    assert {row.patch for row in proven.rows} >= {"untouched", "no-op", "control"}
    assert [(row.name, row.got) for row in proven.rule] == [
        ("known-better", "PROMOTE"),
        ("identical", "INSUFFICIENT"),
        ("known-worse", "REJECT"),
    ]


def test_broken_code_of_the_invoice_case_scores_half_of_its_sealed_tests(tmp_path):
    """Four of eight: what the case promises about its untouched code."""
    lab = small_laboratory(tmp_path, small_corpus())
    lab.manifest = lab.manifest.model_copy(update={"train_ids": (), "dev_ids": ()})
    rows = {(row.case_id, row.patch): row for row in control(lab, lab.manifest).rows}
    tally = rows["invoice-quantity", "untouched"].tallies[0]
    assert (tally.sealed, tally.sealed_of, tally.public) == (4, 8, 2)


CASE = "invoice-quantity"


def patch(seal, name, edits):
    return KnownPatch(name=name, why="test", edits=edits)


def failing_control(seal):
    return {"control": patch(seal, "control", seal.wrong[0].edits)}


def passing_wrong(seal):
    return {"wrong": (patch(seal, "too-good", seal.control.edits),)}


def passing_untouched(seal):
    return {"nodes": seal.nodes.model_copy(update={"fail_to_pass": seal.nodes.pass_to_pass})}


def missing_node(seal):
    return {"nodes": seal.nodes.model_copy(update={"pass_to_pass": ("tests/test_sealed_invoice.py::test_gone",)})}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (failing_control, rf"case '{CASE}': control must pass, \d/3 public \d/8 sealed"),
        pytest.param(
            passing_wrong, f"case '{CASE}': too-good must fail, 3/3 public 8/8 sealed", marks=pytest.mark.slow
        ),
        pytest.param(passing_untouched, f"case '{CASE}': untouched must fail", marks=pytest.mark.slow),
        pytest.param(missing_node, f"case '{CASE}': control must pass", marks=pytest.mark.slow),
    ],
)
def test_a_row_that_does_not_come_out_as_it_must_refuses_the_harness(tmp_path, spoil, said):
    """The refusal names the case, the patch and what passed."""
    corpus = small_corpus()
    lab = small_laboratory(tmp_path, corpus)
    lab.corpus = with_seal(corpus, CASE, **spoil(corpus.seal(CASE)))
    lab.manifest = lab.manifest.model_copy(update={"train_ids": (), "dev_ids": ()})
    with pytest.raises(HarnessUnproven, match=said):
        control(lab, lab.manifest)


def test_a_control_patch_that_does_not_apply_is_named(tmp_path):
    """A corpus whose control patch is stale is refused before a sandbox is started for it."""
    corpus = small_corpus()
    stale = (Edit(path="atelier/invoice.py", search="nowhere", replace="x"),)
    lab = small_laboratory(tmp_path, corpus)
    lab.corpus = with_seal(corpus, CASE, control=patch(corpus.seal(CASE), "control", stale))
    with pytest.raises(HarnessUnproven, match="patch 'control' of case 'invoice-quantity' does not apply"):
        control(lab, lab.manifest)


def test_a_rule_that_cannot_promote_the_known_better_is_refused(tmp_path):
    """A policy that asks for an effect beyond what a score can hold proves nothing."""
    lab = small_laboratory(tmp_path, small_corpus())
    policy = lab.manifest.policy.model_copy(update={"minimum_effect": 0.99})
    lab.manifest = lab.manifest.model_copy(update={"policy": policy, "train_ids": (), "dev_ids": ()})
    with pytest.raises(HarnessUnproven, match="rule: known-better must bring PROMOTE, got INSUFFICIENT"):
        control(lab, lab.manifest)
