"""The grading suite, run as the product runs it: what is fooled is exactly what is declared."""

import ast
import re
from pathlib import Path

import pytest

from tasks.attacks import grading_matrix, grading_suite
from tasks.attacks.cheats import cheats, subject, survivors
from tasks.attacks.grading_suite import Grading, fooled_by, open_gate
from tasks.attacks.judges import LIMITS, Ground, InProcess, Naive
from tasks.records.attempt import TestReport
from tasks.records.errors import Damaged, SandboxUnavailable
from tasks.workspace import grading, runner
from tasks.workspace.edits import apply
from tasks.workspace.environment import prepare
from tasks.workspace.ladder import choose

QUICK = {
    "os-exit-at-import": "blocked", "conftest-forces-passed": "blocked", "skip-from-the-code": "blocked",
    "end-without-tests": "blocked", "always-equal-object": "fooled", "leaks-the-hidden-tests": "blocked",
}  # fmt: skip
KINDS = {
    "novel",
    "forgery", "configuration", "display", "equality", "exhaustion", "exit", "reading", "outcome", "patching",
    "persistence", "shadowing", "wire",
}  # fmt: skip


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    try:
        return Ground(choose(), prepare(tmp_path_factory.mktemp("home")))
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


def named(*names):
    return [cheat for cheat in cheats() if cheat.name in names]


def test_there_are_more_than_enough_cheats_of_every_kind():
    """At least sixty, of twelve kinds, each with a reason and with files of its own."""
    assert len(cheats()) >= 60
    assert {cheat.kind for cheat in cheats()} == KINDS
    assert all(cheat.why and cheat.files for cheat in cheats())


def test_a_few_cheats_end_as_declared(ground):
    """One of each fate: stopped by the gate, by the records, by the exact node set; and one that gets through."""
    rows = Grading(ground).rows(["in-process"], named(*QUICK))
    assert {row.attack: row.observed for row in rows} == QUICK
    assert all(row.ran for row in rows)


def test_the_true_fix_is_accepted_and_the_broken_package_is_not(ground):
    """The judge is neither deaf nor blind: both controls come out right, and no test passes in the broken package."""
    judge = InProcess(ground, LIMITS)
    hidden = subject().seal.nodes.all
    assert judge.grade(subject().fixed).all_passed(subject().nodes)
    assert judge.grade(subject().case.repo).passed(hidden) == 0


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
        fooled_by(report), fooled_by(report.model_copy(update={"shown": "assert 1"})),
        fooled_by(report.model_copy(update={"outcomes": {"x": "passed"}})),
    ] == ["", "fooled", "fooled"]  # fmt: skip


def test_the_gate_stops_what_configures_the_judge(ground):
    """With the gate open the same cheat gets through: it is the gate that holds."""
    rows = Grading(ground, gate=open_gate).rows(["in-process"], named("conftest-below-tests"))
    assert [row.observed for row in rows] == ["fooled"]


def test_survivors_are_cheats():
    """The list of what in-process grading cannot stop names nothing that is not tried."""
    assert survivors("in-process") <= {cheat.name for cheat in cheats()}


def test_a_defence_that_is_not_in_the_source_is_damage():
    """The matrix cannot claim to have removed what is not there."""
    missing = grading_matrix.without([grading_matrix.Cut("grading.py", "no such text", "")])
    with pytest.raises(Damaged, match="0 times, expected once"), missing:
        pass


def declared(text):
    """Whether a piece of source is cut by a defence, or listed as no wall with a reason."""
    cut = [piece.old for defence in grading_matrix.DEFENCES for piece in defence.cuts]
    return text in grading_matrix.NO_WALL or any(text in old for old in cut)


def test_every_check_of_the_reader_is_a_defence_or_said_to_be_none():
    """A new `raise Forged` without a row in the matrix fails here."""
    source = Path(grading.__file__).read_text()
    found = re.findall(r"raise (Forged\(f?\"[^\"]*\"\))", source)
    assert len(found) >= 4
    assert [check for check in found if not declared(check)] == []


def test_every_option_and_variable_of_the_runner_is_a_defence_or_said_to_be_none():
    """A new option of pytest, or a new variable, without a row in the matrix fails here."""
    tree = ast.parse(Path(runner.__file__).read_text())
    call = next(
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.main"
    )
    words = [one.value for one in call.args[0].elts if isinstance(one, ast.Constant)]
    assert [word for word in (*words, *grading.STEADY) if not declared(word)] == []


def test_every_row_of_the_matrix_is_a_cheat():
    """A defence is not proved by an attack that does not exist."""
    rows = {row for defence in grading_matrix.DEFENCES for row in defence.rows}
    assert rows <= {cheat.name for cheat in cheats()}


@pytest.mark.slow
def test_the_whole_suite_fools_in_process_grading_only_as_declared(ground):
    """Nothing gets through that is not listed; every cheat is seen to have run."""
    report = grading_suite.run(ground, gradings=20)
    assert report.troubles == ()
    assert [row.attack for row in report.rows if row.observed == "unexercised"] == []
    assert {row.attack for row in report.rows if row.observed == "fooled"} <= survivors("in-process")


@pytest.mark.slow
def test_the_kill_matrix_of_grading_is_complete(ground):
    """Each defence taken out turns a row red, alone or together with the walls behind it."""
    killed = grading_matrix.run(ground)
    assert [one.defence for one in killed if one.proof not in {"proved", "redundant"}] == []
