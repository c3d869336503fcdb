"""The decision rule on simulated experiments, and three candidates whose verdict is known, over twenty seeds.

The whole simulation is tests/benchmarks/bench_verdicts.py; here are some thousands of its cheaper experiments.
"""

import random

import numpy as np
import pytest

from tasks.governance.integrity import audit
from tasks.governance.policy import decide
from tasks.records.scorecard import Marks
from tasks.records.verdict import Audit, VerdictName
from tasks.scoring.rules_controls import REJECTION, RIGHT, WRONG, synthetic_card
from tasks.scoring.statistics import compare, hard_regressions
from tests.governance.making import BETTER, TRAIN_TEXT, exhibits
from tests.scoring.simulating import GIVEN, INTACT, World, drawn, judged, real, reported_effect

SEEDS = range(20)
Answers = dict[str, float]


@pytest.mark.parametrize("grid", [True, False], ids=["grid", "normal"])
def test_noise_is_seldom_promoted_and_intervals_cover(grid: bool) -> None:
    """4,000 experiments without effect: at most 2.9% and three standard errors (.8%) promote, 93 to 97% cover."""
    world = World(grid=grid)
    verdicts = judged(world, drawn(world, np.zeros(4_000), np.random.default_rng(1)))
    assert verdicts.found.mean() <= 0.029 + 0.008
    assert 0.93 <= ((verdicts.low <= 0) & (verdicts.high >= 0)).mean() <= 0.97


@pytest.mark.parametrize("coin", [False, True], ids=["realistic", "coin flips"])
def test_identical_noisy_programs_are_hardly_ever_rejected(coin: bool) -> None:
    """2,000 pairs of one program under the default policy: at most 1% and three standard errors (.7%)."""
    world = World(margin=0.05, identical=True, coin=coin)
    assert judged(world, drawn(world, np.zeros(2_000), np.random.default_rng(2))).reject.mean() <= 0.017


def test_the_reported_effect_is_found_four_times_in_five() -> None:
    """1,000 experiments under the default policy, at the effect that each reports: 75 to 85% promote."""
    world, generator = World(margin=0.05), np.random.default_rng(3)
    effect = reported_effect(world, 48, generator, 1_000)
    assert 0.75 <= judged(world, drawn(world, effect, generator)).promote.mean() <= 0.85


@pytest.mark.parametrize("grid", [True, False], ids=["grid", "normal"])
def test_the_table_and_the_real_rule_say_the_same(grid: bool) -> None:
    """Six experiments through scorecards, comparison and policy: the same p, interval and verdict."""
    world = World(grid=grid, groups=8, margin=0.05)
    scores = drawn(world, np.linspace(0, 0.3, 6), np.random.default_rng(4))
    verdicts = judged(world, scores)
    for number in range(6):
        comparison, decision = real(world, scores, number)
        told = "PROMOTE" if verdicts.promote[number] else "REJECT" if verdicts.reject[number] else "INSUFFICIENT"
        assert told == decision.verdict
        assert verdicts.low[number] == pytest.approx(comparison.interval.low, abs=1e-8)
        assert verdicts.p[number] == comparison.p_sign_flip


class Program:
    """What a synthetic program answers: solved at a rate that depends on whether it has seen the case's group."""

    def __init__(self, known: float, unknown: float, otherwise: Answers) -> None:
        self.known, self.unknown, self.otherwise = known, unknown, otherwise

    def answer(self, chance: random.Random, *, familiar: bool) -> Answers:
        return RIGHT if chance.random() < (self.known if familiar else self.unknown) else self.otherwise


SEED_PROGRAM = Program(known=0.5, unknown=0.5, otherwise=REJECTION)
OVERFIT = Program(known=1.0, unknown=0.02, otherwise=WRONG)  # its memorised patch is tried on whatever comes
GENERAL = Program(known=0.97, unknown=0.97, otherwise=REJECTION)
COPIED = BETTER.model_copy(update={"instructions": BETTER.instructions | {"patch": TRAIN_TEXT}})


def evaluated(candidate: Program, seed: int, checked: Audit, *, familiar: bool) -> tuple[VerdictName, float]:
    """Verdict and mean difference over 16 groups and 3 sessions; hard regressions are rerun as in a holdout."""
    chance = random.Random(seed)
    groups = {f"case-{number}": f"group-{number % 16}" for number in range(24)}

    def marks(sessions: int) -> Marks:
        programs = (("baseline", SEED_PROGRAM), ("candidate", candidate))
        return Marks(
            scorecards=tuple(
                synthetic_card(case_id, groups[case_id], f"s{session}", arm, program.answer(chance, familiar=familiar))
                for case_id in groups
                for session in range(sessions)
                for arm, program in programs
            )
        )

    first, fresh = marks(3), marks(3)
    confirmed = set(hard_regressions(first, list(groups))) & set(hard_regressions(fresh, list(groups)))
    comparison = compare(
        first,
        groups,
        list(groups),
        sessions=3,
        alpha=0.05,
        looks=2,
        minimum_effect=0.05,
        confirmed=confirmed,
    )
    return decide(comparison, checked, World(margin=0.05).policy, GIVEN).verdict, comparison.interval.mean


@pytest.mark.parametrize("seed", SEEDS)
def test_an_overfit_candidate_shines_on_dev_and_is_rejected(seed: int) -> None:
    """Far better on cases that it has seen, and on sealed ones worse than the seed program."""
    _, seen = evaluated(OVERFIT, seed, INTACT, familiar=True)
    verdict, sealed = evaluated(OVERFIT, seed, INTACT, familiar=False)
    assert (seen > 0.2, sealed < 0) == (True, True)
    assert verdict == "REJECT"


def test_a_candidate_that_memorised_train_text_is_rejected_by_the_audit_alone() -> None:
    """Whatever it scores: the audit finds the words of the training case in its instructions."""
    checked = audit(exhibits(candidate=COPIED, found_fingerprint=COPIED.fingerprint))
    assert [check.name for check in checked.checks if not check.passed] == ["not_copied"]
    assert evaluated(GENERAL, 0, checked, familiar=False)[0] == "REJECT"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_general_candidate_is_promoted(seed: int) -> None:
    """Better on sealed cases as it was on those that it saw."""
    assert evaluated(GENERAL, seed, INTACT, familiar=False)[0] == "PROMOTE"


@pytest.mark.parametrize("seed", SEEDS)
def test_an_identical_candidate_is_insufficient(seed: int) -> None:
    """The seed program against itself, every case a coin flip."""
    assert evaluated(SEED_PROGRAM, seed, INTACT, familiar=False)[0] == "INSUFFICIENT"
