"""Verdicts under simulation: how often the decision rule is wrong, and whether it sees what it promises to see.

    uv run python tests/benchmarks/bench_verdicts.py [--experiments 10000] [--real 100] [--seed 20260103]

Draws 10,000 experiments a row from the processes that tests/scoring/simulating.py describes (16 groups of 1 or 2
cases, 24 cases, 3 sessions, correlation .5 inside a group, noise that differs from group to group; scores on the grid
of repair/1, or normal), applies the rule to all of them as a table, and takes the first 100 of each row through
scorecards, `hard_regressions`, `compare` and `decide` as well: interval, p and verdict have to be the same. Each row
has a generator of its own, seeded by (seed, row number). Alpha is .05 over one look, the hardest case; the margin is
the policy's minimum effect. Groups of dev and holdout are different ones, as freeze demands.

Bars: no true effect PROMOTE at most 2.9% (by the tests alone, before hard regressions stop anything); 95% intervals
cover 93 to 97%; at exactly the minimum detectable effect that each experiment reports from 12 dev cases of its own 75
to 85% PROMOTE; identical noisy programs REJECT at most 1%; these two under the default policy, whose minimum effect is
.05. Rows without a bar are told only. With a minimum effect of 0 noisy programs are promoted a little more often than
promised: noise may only raise what a design reports, and a still one suffers from ties that noise would split. The last
two rows show what the assumption is worth: cases of a group that are independent, or all alike.

Prints a table with Monte-Carlo standard errors; ends with status 1 when a bar is missed.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.scoring.simulating import Scores, Verdicts, World, best_of, drawn, judged, real, reported_effect

DEV_CASES = 12
CANDIDATES = 20
BATCH = 2_500


@dataclass(frozen=True)
class Row:
    """One line of the table. `what` is barred: found, promote, reject or cover; `effect` None: the reported one."""

    name: str
    world: World
    what: str
    low: float
    high: float
    effect: float | None = 0.0
    candidates: int = 1


def rows() -> list[Row]:
    """The bars of the issue, then what has none."""
    made = []
    for name, grid in (("grid", True), ("normal", False)):
        null, declared = World(grid=grid), World(grid=grid, margin=0.05)
        made += [
            Row(f"{name}: no effect", null, "found", 0, 0.029),
            Row(f"{name}: no effect, best of {CANDIDATES} on dev", null, "found", 0, 0.029, candidates=CANDIDATES),
            Row(f"{name}: effect exactly the minimum effect .05", declared, "found", 0, 0.029, effect=0.05),
            Row(f"{name}: no effect, coverage", null, "cover", 0.93, 0.97),
            Row(f"{name}: at the reported MDE, margin .05", declared, "promote", 0.75, 0.85, effect=None),
            Row(f"{name}: at the reported MDE, coverage", declared, "cover", 0.93, 0.97, effect=None),
            Row(f"{name}: identical programs", World(grid=grid, margin=0.05, identical=True), "reject", 0, 0.01),
        ]
    twice = World(margin=0.05, looks=2)
    coin = World(margin=0.05, identical=True, coin=True)
    return [
        *made,
        Row("grid: identical, every case a coin flip", coin, "reject", 0, 0.01),
        Row("grid: at the reported MDE, two looks", twice, "promote", 0.75, 0.85, effect=None),
        Row(
            "grid: at the reported MDE, still programs",
            World(margin=0.05, still=True),
            "promote",
            0.75,
            0.85,
            effect=None,
        ),
        Row("grid: at the reported MDE, still, minimum effect 0", World(still=True), "promote", 0, 1, effect=None),
        Row("grid: at the reported MDE, minimum effect 0", World(), "promote", 0, 1, effect=None),
        Row("grid: identical, minimum effect 0", World(identical=True), "reject", 0, 1),
        Row("normal: identical, minimum effect 0", World(grid=False, identical=True), "reject", 0, 1),
        Row(
            "grid: at the MDE, cases of a group independent",
            World(margin=0.05, likeness=0),
            "promote",
            0,
            1,
            effect=None,
        ),
        Row("grid: at the MDE, cases of a group alike", World(margin=0.05, likeness=1), "promote", 0, 1, effect=None),
    ]


def simulated(row: Row, experiments: int, generator: np.random.Generator) -> tuple[Scores, np.ndarray]:
    """Scores and true effects."""
    if row.candidates > 1:
        effect = np.full(experiments, row.effect)
        return best_of(row.world, float(row.effect or 0), row.candidates, experiments, generator), effect
    if row.effect is None:
        effect = reported_effect(row.world, DEV_CASES, generator, experiments)
    else:
        effect = np.full(experiments, row.effect)
    return drawn(row.world, effect, generator), effect


def shares(verdicts: Verdicts, effect: np.ndarray) -> dict[str, np.ndarray]:
    """One truth value an experiment, by what is asked."""
    covered = (verdicts.low <= effect) & (effect <= verdicts.high)
    return {"found": verdicts.found, "promote": verdicts.promote, "reject": verdicts.reject, "cover": covered}


def disagreements(row: Row, scores: Scores, verdicts: Verdicts, sample: int) -> int:
    """Experiments of the sample on which the table and the real rule differ in interval, p or verdict."""
    wrong = 0
    for number in range(sample):
        comparison, decision = real(row.world, scores, number)
        told = "PROMOTE" if verdicts.promote[number] else "REJECT" if verdicts.reject[number] else "INSUFFICIENT"
        figures = [comparison.interval.low, comparison.interval.high, comparison.p_sign_flip]
        close = np.allclose(figures, [verdicts.low[number], verdicts.high[number], verdicts.p[number]], atol=1e-8)
        wrong += not (close and told == decision.verdict)
    return wrong


def measured(row: Row, experiments: int, sample: int, generator: np.random.Generator) -> tuple[dict[str, float], int]:
    """Every share of one row, in batches that fit into memory; the first batch is also judged by the real rule."""
    seen: dict[str, list[np.ndarray]] = {}
    wrong = 0
    for start in range(0, experiments, BATCH):
        scores, effect = simulated(row, min(BATCH, experiments - start), generator)
        verdicts = judged(row.world, scores)
        if start == 0:
            wrong = disagreements(row, scores, verdicts, min(sample, len(effect)))
        for name, values in shares(verdicts, effect).items():
            seen.setdefault(name, []).append(values)
    return {name: float(np.concatenate(values).mean()) for name, values in seen.items()}, wrong


def main(say: Callable[[str], None] = print) -> int:
    """Print the table; 0 when every bar is met and the real rule agrees everywhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=10_000)
    parser.add_argument("--real", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20260103)
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    told = parser.parse_args()
    missed, begun = 0, time.perf_counter()
    say(f"{'row':50} {'asked':8} {'share':>6} {'s.e.':>5}  {'bar':>9}  {'promote':>7} {'reject':>6}  real differs")
    for number, row in enumerate(rows()):
        if told.only not in row.name:
            continue
        generator = np.random.default_rng([told.seed, number])
        found, wrong = measured(row, told.experiments, told.real, generator)
        share = found[row.what]
        error = np.sqrt(share * (1 - share) / told.experiments)
        met = row.low <= share <= row.high and not wrong
        missed += not met
        bar = f"{row.low:.0%}-{row.high:.1%}" if row.high < 1 else "none"
        say(
            f"{row.name:50} {row.what:8} {share:6.2%} {error:5.2%}  {bar:>9}  {found['promote']:7.2%} "
            f"{found['reject']:6.2%}  {wrong} of {told.real}{'' if met else '  MISSED'}"
        )
    say(f"{told.experiments} experiments a row, {time.perf_counter() - begun:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
