"""Two ways to ask whether group deltas differ from zero: the cluster t interval and the exact sign-flip test.

Takes    one mean delta a group, candidate minus baseline, each in [-1, 1].
Gives    an Interval clipped to [-1, 1]; a one-sided p in (0, 1].
Refuses  nothing.
Source   DESIGN.md, "Statistics and policy". Groups weigh equally, however many cases they hold: the claim is about the
         next group, not about the next case of a large one.

Deltas are compared as integers of 1e-9, a scorecard's precision: floating point decides no verdict (cap-evolve#351).
"""

from collections.abc import Sequence
from math import sqrt

from tasks.records.verdict import Interval

DIGITS = 9
UNIT = 1_000_000_000
EXACT_GROUPS = 20  # 2**20 flips take some 10 ms
DRAWS = 100_000
SEED = 20260101


def cluster_interval(deltas: Sequence[float], level: float) -> Interval:
    """The two-sided t interval of the mean over groups, len(deltas) - 1 degrees of freedom, clipped to [-1, 1].

    Fewer than two groups bound nothing: [-1, 1]. Equal deltas give a point: a t interval cannot see variance that the
    sample does not show, which is why policy also asks the sign-flip test.
    """
    from scipy import stats

    if not deltas:
        return Interval(mean=0.0, low=-1.0, high=1.0, level=level)
    units = [round(delta * UNIT) for delta in deltas]
    count = len(units)
    mean = sum(units) / count / UNIT
    if count == 1:
        return Interval(mean=_rounded(mean), low=-1.0, high=1.0, level=level)
    half = float(stats.t.ppf((1 + level) / 2, count - 1)) * sample_sd(deltas) / sqrt(count)
    return Interval(
        mean=_rounded(mean), low=_rounded(max(-1.0, mean - half)), high=_rounded(min(1.0, mean + half)), level=level
    )


def sample_sd(deltas: Sequence[float]) -> float:
    """The standard deviation with n - 1 in the denominator; exactly 0 for deltas that are equal at 1e-9."""
    units = [round(delta * UNIT) for delta in deltas]
    if len(units) < 2:
        return 0.0
    if len(set(units)) == 1:
        return 0.0
    mean = sum(units) / len(units)
    return sqrt(sum((unit - mean) * (unit - mean) for unit in units) / (len(units) - 1)) / UNIT


def sign_flip_p(deltas: Sequence[float]) -> float:
    """One-sided p for "candidate better": the share of sign flips whose sum is at least the observed one.

    Exact over all 2**k flips for k <= 20 groups, else 100,000 draws of a fixed seed with one added to both counts.
    Zeros stay in and ties count against the candidate: seven gains and one zero give 2/256. No group gives 1.
    """
    units = [round(delta * UNIT) for delta in deltas]
    bar = sum(units) - len(units)  # rounding may split a tie by one unit a group; near ties are ties
    return _exact(units, bar) if len(units) <= EXACT_GROUPS else _drawn(units, bar)


def _exact(units: Sequence[int], bar: int) -> float:
    import numpy as np

    sums = np.zeros(1, dtype=np.int64)
    for unit in units:
        sums = np.concatenate([sums + unit, sums - unit])
    return int((sums >= bar).sum()) / sums.size


def _drawn(units: Sequence[int], bar: int) -> float:
    import numpy as np

    generator, magnitudes = np.random.default_rng(SEED), np.asarray(units, dtype=np.int64)
    reached = 0
    for _ in range(DRAWS // 1000):
        signs = generator.integers(0, 2, size=(1000, magnitudes.size), dtype=np.int64) * 2 - 1
        reached += int((signs @ magnitudes >= bar).sum())
    return (1 + reached) / (1 + DRAWS)


def _rounded(value: float) -> float:
    return round(value, DIGITS) + 0.0  # no -0.0 in a record
