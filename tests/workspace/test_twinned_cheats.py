"""Cheats that share the process with their tests, against twins; more than 20 bits of doubt, so none may pass."""

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.workspace.environment import prepare
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose
from tasks.workspace.twinned import judge, planned
from tests.workspace.twin_cheats import CHEATS, CONTROL, NODES, SEAL, cheating

KNOWN_ANSWER = 1  # the type of an exception: 0 bits
FAST = (
    "equals everything", "stack reader", "hook wrapper found by gc", "richcompare of int by ctypes",
    "runtest that does nothing", "conftest that passes everything", "forger: everything passes",
    "forger: a coin for each", "forger: centre of the window", "forger: smallest value", "forger: majority value",
    "forger: first in its file",
)  # fmt: skip


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    try:
        return Bench(choose(), prepare(tmp_path_factory.getbasetemp() / "twins"))
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


@pytest.fixture(scope="module")
def plans(bench):
    return planned(bench, CONTROL, SEAL, NODES, untouched=cheating({}))


def test_the_suite_leaves_more_than_twenty_bits(bench, plans):
    """And its true fix passes."""
    assert sum(plan.bits for plan in plans) > 20
    assert judge(bench, CONTROL, SEAL, plans, hide_output=True).all_passed(NODES)


@pytest.mark.parametrize("cheat", FAST)
def test_a_cheat_does_not_pass(bench, plans, cheat):
    """It may guess a node right; passing all by guessing would take a million gradings."""
    assert not judge(bench, cheating(CHEATS[cheat]), SEAL, plans, hide_output=True).all_passed(NODES)


@pytest.mark.slow
@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_passes_in_four_gradings(bench, plans, cheat):
    """Every one that is known, again and again."""
    reports = [judge(bench, cheating(CHEATS[cheat]), SEAL, plans, hide_output=True) for _ in range(4)]
    assert not any(report.all_passed(NODES) for report in reports)
