"""Design: what a holdout can see, found by trying the decision's own two tests on holdouts drawn from assumptions.

Takes    group sizes, sessions, noise between sessions, assumed discordance and likeness inside a group, alpha and
         looks, and the margin above which the interval has to lie.
Gives    power in [0, 1]; effects in score points; groups or sessions that an effect would need, None where none do.
Refuses  nothing.
Source   DESIGN.md, "Statistics and policy". A formula for the t test alone promises 80% and keeps 55% (16 single-case
         groups) or 20% (8 groups, two looks): few discordant groups leave the sign-flip test little to flip, and an
         interval has to clear the margin, not zero.

The process: a share `discordance` of cases changes its answer, by `step`, up or down; a true effect tilts it, and
raises the share where it has to. Each case moves as its group does with probability sqrt(intraclass), else on its own,
so that two cases of a group correlate by `intraclass`. Session means of both arms add normal noise. Seeds are fixed:
the same design always sees the same effect.

Not covered  hard regressions: a candidate that breaks a stable case is rejected, whatever its mean is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import cycle, islice
from math import ceil, sqrt
from typing import TYPE_CHECKING, NamedTuple

from tasks.scoring.power import DISCORDANCE, POWER, STEP, fewest_groups, groups_needed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INTRACLASS = 0.5
HOLDOUTS = 1_000  # power is known to within 1.3 points
FLIP_BITS = 11  # 2048 flips: all of them for as many groups
PRECISION = 0.002
MAX_SIMULATED_GROUPS = 120  # beyond it the t test's formula serves: both tests are normal there
MAX_SESSIONS = 50
SEED = 20260102
TIE = 1e-5  # scores lie further apart, single precision does not


@dataclass(frozen=True)
class Design:
    """A holdout before anybody looks at it. `margin` is what the interval must lie above, `noise_sd` within a case."""

    group_sizes: tuple[int, ...]
    alpha: float
    looks: int = 1
    margin: float = 0.0
    sessions: int = 1
    noise_sd: float = 0.0
    discordance: float = DISCORDANCE
    step: float = STEP
    intraclass: float = INTRACLASS

    def of_groups(self, number: int) -> "Design":
        """The same design over another number of groups, of sizes like these."""
        return replace(self, group_sizes=tuple(islice(cycle(sorted(self.group_sizes)), number)))


def sizes(groups: Sequence[str]) -> tuple[int, ...]:
    """Cases a group, from each case's group, smallest first: designs that differ in order only are one."""
    return tuple(sorted(groups.count(name) for name in dict.fromkeys(groups)))


def group_sd(design: Design, effect: float = 0.0) -> float:
    """Sd of a group's delta at a true effect, over groups of this design's sizes."""
    share = max(design.discordance, effect / design.step)
    moves = max(0.0, design.step**2 * share - effect**2)
    alone = sum(1 / size for size in design.group_sizes) / max(1, len(design.group_sizes))
    noise = 2 * design.noise_sd**2 / max(1, design.sessions) * alone
    return sqrt(moves * (design.intraclass + (1 - design.intraclass) * alone) + noise)


def power(design: Design, effect: float) -> float:
    """The share of holdouts with this true effect, in [0, step], whose interval and sign-flip test both find it."""
    return 0.0 if _hopeless(design) else _power(_drawn(design), design, effect)


@lru_cache(maxsize=256)
def detectable_effect(design: Design) -> float:
    """The smallest true effect that is found with 80% probability, to 0.002; 1.0 when none is.

    Noise can only raise it: where a few large deltas are all there is, noise in the other groups splits ties of the
    sign-flip test and would make a noisy program look like the better design.
    """
    low, high = max(0.0, design.margin), design.step
    if design.noise_sd:
        low = detectable_effect(replace(design, noise_sd=0.0))
    if _hopeless(design) or low >= high:
        return 1.0
    draws = _drawn(design)
    if _power(draws, design, high) < POWER:
        return 1.0
    if design.noise_sd and _power(draws, design, low) >= POWER:
        return low
    while high - low > PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if _power(draws, design, middle) >= POWER else (middle, high)
    return round(high, 4)


@lru_cache(maxsize=4096)
def groups_for(design: Design, effect: float) -> int | None:
    """The fewest groups, of sizes like these, that find `effect` with 80% probability; None when 10,000 would not."""
    if effect <= max(0.0, design.margin) or not design.group_sizes:
        return None
    effect = min(effect, design.step)
    sd = group_sd(design, effect)
    low = groups_needed(effect - design.margin, sd, alpha=design.alpha, looks=design.looks)
    if low is None or low > MAX_SIMULATED_GROUPS:
        return low
    high = low
    while power(design.of_groups(high), effect) < POWER:
        low, high = high + 1, ceil(high * 1.3)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power(design.of_groups(middle), effect) >= POWER else (middle + 1, high)
    return low


def sessions_for(design: Design, effect: float) -> int | None:
    """The fewest sessions a case and arm that find `effect`; None when 50 would not: sessions add no cases."""
    if detectable_effect(replace(design, sessions=MAX_SESSIONS)) > effect:
        return None
    low, high = 1, MAX_SESSIONS
    while low < high:
        middle = (low + high) // 2
        found = detectable_effect(replace(design, sessions=middle)) <= effect
        low, high = (low, middle) if found else (middle + 1, high)
    return low


class _Draws(NamedTuple):
    """Random numbers that every effect shares: a group's and a case's own moves, who follows, noise; and sign flips."""

    group_moves: "NDArray[np.float64]"
    own_moves: "NDArray[np.float64]"
    follows: "NDArray[np.bool_]"
    noise: "NDArray[np.float64]"
    flips: "NDArray[np.float32]"


def _hopeless(design: Design) -> bool:
    return len(design.group_sizes) < max(2, fewest_groups(design.alpha, design.looks))


def _drawn(design: Design) -> _Draws:
    import numpy as np

    generator = np.random.default_rng(SEED)
    groups, cases = len(design.group_sizes), sum(design.group_sizes)
    seats = np.repeat(np.arange(groups), design.group_sizes)
    return _Draws(
        group_moves=generator.random((HOLDOUTS, groups))[:, seats],
        own_moves=generator.random((HOLDOUTS, cases)),
        follows=generator.random((HOLDOUTS, cases)) < sqrt(design.intraclass),
        noise=generator.normal(0.0, design.noise_sd * sqrt(2 / max(1, design.sessions)), (HOLDOUTS, cases)),
        flips=_flips(groups),
    )


def _flips(groups: int) -> "NDArray[np.float32]":
    """One column a flip, from a linear code: any few groups see each of their patterns of signs equally often."""
    import numpy as np

    bits = min(groups, FLIP_BITS)
    drawn = np.random.default_rng(SEED).integers(1, 2**FLIP_BITS, groups - bits)
    masks = np.concatenate([2 ** np.arange(bits), drawn])
    parity = np.arange(2**bits)[None, :] & masks[:, None]
    for shift in (8, 4, 2, 1):
        parity ^= parity >> shift
    signs: NDArray[np.float32] = (1 - 2 * (parity & 1)).astype(np.float32)
    return signs


def _power(draws: _Draws, design: Design, effect: float) -> float:
    import numpy as np
    from scipy import stats

    deltas = _deltas(draws, design, effect)
    groups = deltas.shape[1]
    bar = float(stats.t.ppf(1 - design.alpha / design.looks / 2, groups - 1)) / sqrt(groups)
    clear = deltas[deltas.mean(axis=1) - bar * deltas.std(axis=1, ddof=1) > max(0.0, design.margin)]
    parts = np.array_split(clear.astype(np.float32), 8)  # a part fits the cache
    reached = np.concatenate(
        [(part @ draws.flips >= part.sum(axis=1, keepdims=True) - TIE).mean(axis=1) for part in parts]
    )
    return float((reached <= design.alpha / (2 * design.looks)).sum()) / len(deltas)


def _deltas(draws: _Draws, design: Design, effect: float) -> "NDArray[np.float64]":
    """One row a holdout, one column a group."""
    import numpy as np

    tilt = effect / design.step
    share = max(design.discordance, tilt)
    up, down = (share + tilt) / 2, (share - tilt) / 2
    chosen = np.where(draws.follows, draws.group_moves, draws.own_moves)
    moves = (chosen < up).astype(np.float64) - (chosen > 1 - down)
    starts = np.concatenate([[0], np.cumsum(design.group_sizes)[:-1]])
    totals: NDArray[np.float64] = np.add.reduceat(design.step * moves + draws.noise, starts, axis=1)
    means: NDArray[np.float64] = totals / np.asarray(design.group_sizes)
    return means
