"""The grading suite, run as the product runs it: what is fooled is exactly what is declared."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.attacks import copies, grading_defences, grading_matrix, grading_suite
from tasks.attacks.cheats import cheats, subject, survivors
from tasks.attacks.grading_suite import ENOUGH_BITS, Grading, fooled_by, open_gate
from tasks.attacks.judges import LIMITS, TIERS, Ground, Naive, Tiered
from tasks.records.attempt import TestReport
from tasks.records.errors import Damaged, SandboxUnavailable
from tasks.workspace import grading, runner
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.edits import apply
from tasks.workspace.environment import prepare
from tasks.workspace.forkserver import RUNNER, ForkServer
from tasks.workspace.ladder import choose
from tasks.workspace.separate.placed import scripts

QUICK = {
    "in-process": {
        "os-exit-at-import": "blocked", "conftest-forces-passed": "blocked", "skip-from-the-code": "blocked",
        "end-without-tests": "blocked", "always-equal-object": "fooled", "leaks-the-hidden-tests": "blocked",
    },
    "separate": {
        "always-equal-object": "blocked", "forger-by-chance": "blocked", "context-that-swallows": "blocked",
    },
}  # fmt: skip
STRONG = ("total_of_many", "mean_of_many", "parse_a_long_one", "convert_much", "fee", "interest_while_open")
KINDS = {
    "novel",
    "forgery", "configuration", "display", "equality", "exhaustion", "exit", "reading", "outcome", "patching",
    "persistence", "shadowing", "tier", "wire",
}  # fmt: skip


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    try:
        return Ground(choose(), prepare(tmp_path_factory.mktemp("home")))
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


@pytest.fixture(scope="module")
def few(ground):
    """The nodes whose twins leave the most doubt, so that a plan for them is soon found."""
    nodes = tuple(f"tests/test_hidden.py::test_{name}" for name in STRONG)
    return replace(ground, nodes=nodes)


def named(*names):
    return [cheat for cheat in cheats() if cheat.name in names]


def test_there_are_more_than_enough_cheats_of_every_kind():
    """At least sixty, of twelve kinds, each with a reason and with files of its own."""
    assert len(cheats()) >= 60
    assert {cheat.kind for cheat in cheats()} == KINDS
    assert all(cheat.why and cheat.files for cheat in cheats())


@pytest.mark.parametrize("tier", QUICK)
def test_a_few_cheats_end_as_declared(ground, tier):
    """One of each fate, at the weakest tier and at the strongest."""
    rows = Grading(ground).rows([tier], named(*QUICK[tier]))
    assert {row.attack: row.observed for row in rows} == QUICK[tier]
    assert all(row.ran for row in rows)


def test_the_subject_leaves_enough_doubt_and_a_cheat_that_guesses_is_caught(few):
    """A handful of its nodes leave 20 bits, so their true fix passes and one guess at each of them does not."""
    assert few.twins.bits >= ENOUGH_BITS
    assert Tiered("twinned", few, LIMITS).grade(subject().fixed).all_passed(few.nodes)
    assert not any(Grading(few).fooled("twinned", cheat) for cheat in named("forger-by-chance"))


@pytest.mark.parametrize("tier", QUICK)
def test_the_true_fix_is_accepted_and_the_broken_package_is_not(ground, tier):
    """The judge is neither deaf nor blind: both controls come out right, and no test passes in the broken package."""
    judge = Tiered(tier, ground, LIMITS)
    hidden = subject().seal.nodes.all
    assert judge.grade(subject().fixed).all_passed(subject().nodes)
    assert judge.grade(subject().case.repo).passed(hidden) == 0


def test_forked_runs_end_cheats_as_cold_ones_do(ground):
    """The fork server behind the same judge: the same fates."""
    if not isinstance(ground.sandbox, Bubblewrap):
        pytest.skip("the fork server needs bubblewrap")
    few = {"os-exit-at-import": False, "always-equal-object": True, "records-without-an-end": False}
    with ForkServer(ground.sandbox) as server:
        suite = Grading(replace(ground, sandbox=server))
        assert {cheat.name: suite.fooled("in-process", cheat) for cheat in named(*few)} == few
        assert (server.why_cold, grading_suite.start_of(server)) == ("", "forked")


def test_the_control_edits_are_the_true_fix():
    """The case's own control patch passes the gate and gives the fixed tree."""
    applied = apply(subject().case.repo, subject().seal.control.edits, subject().case.scope)
    assert (applied.refusals, applied.tree) == ((), subject().fixed)


def test_the_naive_judge_accepts_the_true_fix_and_refuses_the_broken_package(ground):
    """The positive control is naive and not mad."""
    naive = Naive(ground, LIMITS)
    assert naive.believes(subject().fixed).sources == ("exit status", "printed text", "junit file")
    assert naive.believes(subject().case.repo) == ((), False)


def test_a_report_that_shows_hidden_output_or_names_other_nodes_is_a_betrayal():
    """A judge may be fooled in other ways than by a pass."""
    report = TestReport(
        tree="t", outcomes=dict.fromkeys(subject().nodes, "failed"), ended="exit", shown="", tier="none"
    )
    assert [
        fooled_by(report, subject().nodes),
        fooled_by(report.model_copy(update={"shown": "assert 1"}), subject().nodes),
        fooled_by(report.model_copy(update={"outcomes": {"x": "passed"}}), subject().nodes),
    ] == ["", "fooled", "fooled"]  # fmt: skip


def test_what_configures_the_judge_is_stopped_twice(ground):
    """With the gate open the same cheat does not get through either: the judge restores what the case came with."""
    rows = Grading(ground, gate=open_gate).rows(["in-process"], named("conftest-below-tests"))
    assert [row.observed for row in rows] == ["blocked"]


@pytest.mark.parametrize("tier", TIERS)
def test_survivors_are_cheats(tier):
    """The list of what a tier cannot stop names nothing that is not tried."""
    assert survivors(tier) <= {cheat.name for cheat in cheats()}


def test_a_defence_that_is_not_in_the_source_is_damage():
    """The matrix cannot claim to have removed what is not there."""
    missing = copies.without([copies.Cut("grading.py", "no such text", "")])
    with pytest.raises(Damaged, match="0 times, expected once"), missing:
        pass


@pytest.mark.parametrize("defence", grading_defences.DEFENCES, ids=lambda one: f"{one.tier}: {one.name}")
def test_every_piece_that_the_matrix_cuts_is_in_the_source_once(defence):
    """A change of the source that moves a defence fails here, and not only in the slow matrix."""
    for cut in (*defence.cuts, *(cut for _, cuts in defence.behind for cut in cuts)):
        assert (copies.SOURCES / cut.file).read_text().count(cut.old) == 1, cut


@pytest.mark.parametrize("name", ["order is decided among the tests", "records in order"])
def test_a_defence_taken_out_lets_its_cheat_through(ground, name):
    """One of each matrix whose tier needs no plan, quickly."""
    defence = next(one for one in grading_defences.DEFENCES if one.name == name)
    assert grading_matrix.kill(ground, defence).proof == "proved"


def declared(text):
    """Whether a piece of source is cut by a defence, or listed as no wall with a reason."""
    cut = [piece.old for defence in grading_defences.DEFENCES for piece in defence.cuts]
    return text in grading_defences.NO_WALL or any(text in old for old in cut)


def test_every_check_of_the_reader_is_a_defence_or_said_to_be_none():
    """A new `raise Forged` without a row in the matrix fails here."""
    source = Path(grading.__file__).read_text()
    found = re.findall(r"raise (Forged\(f?\"[^\"]*\"\))", source)
    assert len(found) >= 4
    assert [check for check in found if not declared(check)] == []


def test_every_option_and_variable_of_the_runner_is_a_defence_or_said_to_be_none():
    """A new option of pytest, or a new variable, without a row in the matrix fails here."""
    tree = ast.parse(Path(runner.__file__).read_text())
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    given = next(node.value for node in assigned if ast.unparse(node.targets[0]) == "arguments")
    words = [one.value for one in given.elts if isinstance(one, ast.Constant)]
    assert [word for word in (*words, *grading.STEADY) if not declared(word)] == []


def test_every_row_of_the_matrix_is_a_cheat():
    """A defence is not proved by an attack that does not exist."""
    rows = {row for defence in grading_defences.DEFENCES for row in defence.rows}
    assert rows <= {cheat.name for cheat in cheats()}


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_the_whole_suite_fools_a_tier_only_as_declared(ground, tier):
    """Nothing gets through that is not listed, every cheat is seen to have run, and every true fix is accepted."""
    report = grading_suite.run(ground, tiers=[tier], gradings=50)
    assert report.troubles == ()
    assert [row.attack for row in report.rows if row.observed == "unexercised"] == []
    assert {row.attack for row in report.rows if row.observed == "fooled"} <= survivors(tier)


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_the_whole_suite_ends_forked_runs_alike(ground, tier):
    """The fork server behind the same interface passes the same suite."""
    if not isinstance(ground.sandbox, Bubblewrap):
        pytest.skip("the fork server needs bubblewrap")
    with ForkServer(ground.sandbox, (RUNNER, *scripts())) as server:
        report = grading_suite.run(replace(ground, sandbox=server), tiers=[tier], gradings=50)
    assert (report.start, report.troubles) == ("forked", ())


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_the_kill_matrix_of_grading_is_complete(ground, tier):
    """Each defence taken out turns a row red, alone or together with the walls behind it."""
    killed = grading_matrix.run(ground, [tier])
    assert [one.defence for one in killed if one.proof not in {"proved", "redundant", "no wall"}] == []
