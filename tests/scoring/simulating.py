"""Simulated experiments, thousands at a time, and the decision rule on all of them at once.

Two processes make scores. Both have groups of unequal sizes (1, 1, 2, 2 cases, over again), cases of a group that
correlate in how the candidate changes them, and noise between sessions that differs from group to group.

Grid    Scores of repair/1. A case has a stable answer an arm: right (1.00), or what it gets when it is not (0.36
        rejection half of the time, else 0.34, 0.20 or 0.04). The candidate changes the stable answer of a share of
        cases, up or down; a case follows its group's change with probability sqrt(likeness), else has its own.
        Whatever is stable, a session gives the other answer with the group's own flakiness: 0, .05, .15 or .30 for 40,
        30, 20 and 10 per cent of groups. The share of changes is set so that the mean square of a case's true delta is
        that of the assumed discordance (more where the effect needs more); the tilt between up and down so that the
        mean true delta is exactly the effect.
Normal  Base score .5; a case's true delta is normal around the effect with the assumed variance at half the scale,
        split between group and case by likeness; session noise has sd .02, .05, .10 or .15, a quarter of groups each.

The rule on a table of experiments uses the same sign-flip function as production and its own t interval; `real` takes
one experiment through scorecards, `hard_regressions`, `compare` and `decide`.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import stats

from tasks.governance.gates import Circumstances
from tasks.governance.policy import decide
from tasks.records.scorecard import Marks, Scorecard
from tasks.records.spec import Policy
from tasks.records.verdict import Audit, Check, Comparison, Decision
from tasks.scoring.design import Design, detectable_effect
from tasks.scoring.inference import sign_flip_ps
from tasks.scoring.power import DISCORDANCE, STEP
from tasks.scoring.repair_metric import WEIGHTS
from tasks.scoring.rules_controls import REJECTION, RIGHT, WRONG, synthetic_card
from tasks.scoring.statistics import compare, hard_regressions, reruns_needed

UNSOLVED, UNSOLVED_SHARES = np.array([0.36, 0.34, 0.20, 0.04]), np.array([0.5, 0.3, 0.15, 0.05])
FLAKINESS, FLAKY_SHARES = np.array([0.0, 0.05, 0.15, 0.30]), np.array([0.4, 0.3, 0.2, 0.1])
NOISE_SDS = np.array([0.02, 0.05, 0.10, 0.15])
SOLVED_SHARE = 0.4
NORMAL_SCALE = 0.5
BREAKING = WRONG | {"no_regression": 0.0}
UNREADABLE = dict.fromkeys(WEIGHTS, 0.0) | {"schema_valid": 1.0}
NOISE_STEP = 0.03  # noise floors are rounded to it, so that a dozen designs are tried and not thousands
GIVEN = Circumstances(looks=2, grading_tier="separate", sandbox_tier="bubblewrap", evidence_class="fixture")
INTACT = Audit(manifest="m", candidate="c", checks=(Check(name="assumed", passed=True, detail="simulated"),))


@dataclass(frozen=True)
class World:
    """One kind of experiment. `coin` makes every case a coin flip, `still` none; `identical` arms are one program."""

    grid: bool = True
    groups: int = 16
    sessions: int = 3
    likeness: float = 0.5
    looks: int = 1
    margin: float = 0.0
    identical: bool = False
    coin: bool = False
    still: bool = False

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.resize([1, 1, 2, 2], self.groups)

    @cached_property
    def seats(self) -> np.ndarray:
        """The group of each case."""
        return np.repeat(np.arange(self.groups), self.sizes)

    @property
    def policy(self) -> Policy:
        return Policy(minimum_effect=self.margin)

    @property
    def reruns(self) -> int:
        return max(self.policy.regression_reruns, reruns_needed(len(self.seats), self.sessions))

    @property
    def step(self) -> float:
        return STEP if self.grid else STEP * NORMAL_SCALE


@dataclass(frozen=True)
class Scores:
    """Session scores of both arms, (experiment, case, session), and whether fresh sessions confirm a regression."""

    baseline: np.ndarray
    candidate: np.ndarray
    fresh_baseline: np.ndarray
    fresh_candidate: np.ndarray


@dataclass(frozen=True)
class Verdicts:
    """One entry an experiment. `found`: interval and sign-flip test alone; the verdicts also ask hard regressions."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    found: np.ndarray
    promote: np.ndarray
    reject: np.ndarray


def drawn(world: World, effect: np.ndarray, generator: np.random.Generator) -> Scores:
    """One experiment an entry of `effect`."""
    return (_grid if world.grid else _normal)(world, effect, generator)


def _grid(world: World, effect: np.ndarray, generator: np.random.Generator) -> Scores:
    shape = (len(effect), len(world.seats))
    unsolved = generator.choice(UNSOLVED, shape, p=UNSOLVED_SHARES)
    flakiness = FLAKINESS * (not world.still)
    flaky = generator.choice(flakiness, (len(effect), world.groups), p=FLAKY_SHARES)[:, world.seats]
    flaky = np.full(shape, 0.5) if world.coin else flaky
    steady, gain = 1 - 2 * flakiness, 1 - UNSOLVED
    share = DISCORDANCE * STEP**2 / ((FLAKY_SHARES @ steady**2) * (UNSOLVED_SHARES @ gain**2))
    tilt = effect / ((FLAKY_SHARES @ steady) * (UNSOLVED_SHARES @ gain))
    moves = np.zeros(shape) if world.identical else _moves(world, tilt, np.maximum(share, np.abs(tilt)), generator)
    before = np.where(moves == 0, generator.random(shape) < SOLVED_SHARE, moves < 0)
    after = np.where(moves == 0, before, moves > 0)

    def sessions(stable: np.ndarray, number: int) -> np.ndarray:
        flipped = generator.random((*shape, number)) < flaky[:, :, None]
        return np.where(stable[:, :, None] ^ flipped, 1.0, unsolved[:, :, None])

    parts = [sessions(stable, number) for number in (world.sessions, world.reruns) for stable in (before, after)]
    return Scores(*parts)


def _moves(world: World, tilt: np.ndarray, share: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """-1, 0 or 1 a case; any two cases of a group correlate by `likeness`."""
    shape = (len(tilt), len(world.seats))
    shared = generator.random((len(tilt), world.groups))[:, world.seats]
    follows = generator.random(shape) < np.sqrt(world.likeness)
    chosen = np.where(follows, shared, generator.random(shape))
    up, down = ((share + tilt) / 2)[:, None], ((share - tilt) / 2)[:, None]
    return (chosen < up).astype(int) - (chosen > 1 - down)


def _normal(world: World, effect: np.ndarray, generator: np.random.Generator) -> Scores:
    shape = (len(effect), len(world.seats))
    spread = np.sqrt(world.step**2 * np.maximum(DISCORDANCE, effect / world.step) - effect**2)[:, None]
    spread = 0 * spread if world.identical else spread
    shared = generator.normal(size=(len(effect), world.groups))[:, world.seats]
    own = generator.normal(size=shape)
    true = effect[:, None] + spread * (np.sqrt(world.likeness) * shared + np.sqrt(1 - world.likeness) * own)
    noise = generator.choice(NOISE_SDS, (len(effect), world.groups))[:, world.seats]

    def sessions(centre: np.ndarray, number: int) -> np.ndarray:
        made = centre[:, :, None] + noise[:, :, None] * generator.normal(size=(*shape, number))
        return np.round(np.clip(made, 0.0, 0.999), 9)  # just below 1: a normal score is no passed test

    halves = (0.5 - true / 2, 0.5 + true / 2)
    parts = [sessions(centre, number) for number in (world.sessions, world.reruns) for centre in halves]
    return Scores(*parts)


def deltas_of(world: World, scores: Scores) -> np.ndarray:
    """Candidate less baseline, sessions averaged in a case and cases in a group: (experiment, group)."""
    cases = scores.candidate.mean(axis=2) - scores.baseline.mean(axis=2)
    starts = np.concatenate([[0], np.cumsum(world.sizes)[:-1]])
    return np.round(np.add.reduceat(cases, starts, axis=1) / world.sizes, 9)


def judged(world: World, scores: Scores) -> Verdicts:
    """The rule, on every experiment at once."""
    deltas = deltas_of(world, scores)
    alpha, count = world.policy.alpha / world.looks, world.groups
    half = stats.t.ppf(1 - alpha / 2, count - 1) * deltas.std(axis=1, ddof=1) / np.sqrt(count)
    mean = deltas.mean(axis=1)
    better, worse = sign_flip_ps(deltas), sign_flip_ps(-deltas)
    found = (mean - half > world.margin) & (better <= alpha / 2)
    suspect = (scores.baseline == 1).all(axis=2) & (scores.candidate < 1).all(axis=2)
    again = (scores.fresh_baseline == 1).all(axis=2) & (scores.fresh_candidate < 1).all(axis=2)
    confirmed = (suspect & again).any(axis=1)
    reject = confirmed | ((mean + half < -world.margin) & (worse <= alpha / 2))
    return Verdicts(mean, mean - half, mean + half, better, found, found & ~reject, reject)


def real(world: World, scores: Scores, number: int) -> tuple[Comparison, Decision]:
    """One experiment as production sees it."""
    ids = [f"case-{place}" for place in range(len(world.seats))]
    groups = {case_id: f"group-{seat:02}" for case_id, seat in zip(ids, world.seats, strict=True)}
    marks = _marks(ids, groups, scores.baseline[number], scores.candidate[number])
    fresh = _marks(ids, groups, scores.fresh_baseline[number], scores.fresh_candidate[number])
    suspects = set(hard_regressions(marks, ids))
    confirmed = suspects & set(hard_regressions(fresh, ids))
    comparison = compare(
        marks,
        groups,
        ids,
        sessions=world.sessions,
        alpha=world.policy.alpha,
        looks=world.looks,
        minimum_effect=world.margin,
        confirmed=confirmed,
    )
    return comparison, decide(comparison, INTACT, world.policy, replace(GIVEN, looks=world.looks))


def _marks(ids: list[str], groups: dict[str, str], before: np.ndarray, after: np.ndarray) -> Marks:
    cards = [
        _card(case_id, groups[case_id], f"s{session}", arm, float(table[place, session]))
        for place, case_id in enumerate(ids)
        for arm, table in (("baseline", before), ("candidate", after))
        for session in range(table.shape[1])
    ]
    return Marks(scorecards=tuple(cards))


def _card(case_id: str, group: str, session: str, arm: str, total: float) -> Scorecard:
    """A card of this total: an answer that repair/1 scores so, else every component at the total."""
    known = {1.0: RIGHT, 0.36: REJECTION, 0.34: WRONG, 0.20: BREAKING, 0.04: UNREADABLE}
    return synthetic_card(case_id, group, session, arm, known.get(total) or dict.fromkeys(WEIGHTS, total))


def reported_effect(world: World, dev_cases: int, generator: np.random.Generator, experiments: int) -> np.ndarray:
    """The minimum detectable effect that each experiment reports from its own dev sessions of the seed program."""
    dev = replace(world, groups=dev_cases, identical=True)
    scores = drawn(dev, np.zeros(experiments), generator).baseline[:, :dev_cases]
    floors = np.sqrt(scores.var(axis=2, ddof=1).mean(axis=1))
    floors = np.round(floors / NOISE_STEP) * NOISE_STEP
    found = {
        floor: detectable_effect(
            Design(
                tuple(sorted(int(size) for size in world.sizes)),
                world.policy.alpha,
                world.looks,
                world.margin,
                world.sessions,
                float(floor),
                step=world.step,
            )
        )
        for floor in set(floors.tolist())
    }
    return np.array([found[floor] for floor in floors.tolist()])


def best_of(world: World, effect: float, candidates: int, experiments: int, generator: np.random.Generator) -> Scores:
    """The holdout of the candidate that came out best on 12 dev cases; every one of them has the same true effect."""
    dev = replace(world, groups=8)
    gains = np.stack(
        [deltas_of(dev, drawn(dev, np.full(experiments, effect), generator)).mean(axis=1) for _ in range(candidates)]
    )
    holdouts = [drawn(world, np.full(experiments, effect), generator) for _ in range(candidates)]
    chosen, rows = gains.argmax(axis=0), np.arange(experiments)
    parts = (np.stack([getattr(made, name) for made in holdouts])[chosen, rows] for name in Scores.__annotations__)
    return Scores(*parts)
