"""Two ways to ask whether group deltas differ from zero: the cluster t interval and the exact sign-flip test.

Takes    one mean delta a group, candidate minus baseline, each in [-1, 1].
Gives    an Interval clipped to [-1, 1]; one-sided p in (0, 1]; a two-sided p on which both tests agree.
Refuses  nothing.
Source   DESIGN.md, "Statistics and policy". Groups weigh equally, however many cases they hold: the claim is about the
         next group, not about the next case of a large one. The exact count meets in the middle (Horowitz and Sahni
         1974): the sums of one half of the groups are looked up among the sorted sums of the other.

Deltas are compared as integers of 1e-9, a scorecard's precision: floating point decides no verdict (cap-evolve#351).
"""

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from tasks.records.verdict import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIGITS = 9
UNIT = 1_000_000_000
EXACT_GROUPS = 32  # two halves of 2**16 sums each take some 10 ms
DRAWS = 100_000
SEED = 20260101


def cluster_interval(deltas: Sequence[float], level: float, *, cases: int = 0, sessions: int = 0) -> Interval:
    """The two-sided t interval of the mean over groups, len(deltas) - 1 degrees of freedom, clipped to [-1, 1].

    Fewer than two groups bound nothing: [-1, 1]. Equal deltas give a point: a t interval cannot see variance that the
    sample does not show, which is why policy also asks the sign-flip test. `cases` and `sessions` are told along.
    """
    from scipy import stats

    count = len(deltas)
    mean = sum(round(delta * UNIT) for delta in deltas) / max(1, count) / UNIT
    low, high = -1.0, 1.0
    if count > 1:
        half = float(stats.t.ppf((1 + level) / 2, count - 1)) * sample_sd(deltas) / sqrt(count)
        low, high = max(-1.0, mean - half), min(1.0, mean + half)
    return Interval(
        mean=_rounded(mean),
        low=_rounded(low),
        high=_rounded(high),
        level=level,
        cases=cases,
        groups=count,
        sessions=sessions,
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

    Exact over all 2**k flips for k <= 32 groups, else 100,000 draws of a fixed seed with one added to both counts.
    Zeros stay in and ties count against the candidate: seven gains and one zero give 2/256. No group gives 1.
    """
    import numpy as np

    if len(deltas) > EXACT_GROUPS:
        return _drawn([round(delta * UNIT) for delta in deltas])
    return float(sign_flip_ps(np.asarray([deltas], dtype=np.float64))[0])


def sign_flip_ps(deltas: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """The exact p of each row of a table, one row an experiment and one column a group; 2**(k/2) sums a row."""
    import numpy as np

    units = np.rint(deltas * UNIT).astype(np.int64)
    rows, groups = units.shape
    bars = units.sum(axis=1) - groups  # rounding may split a tie by one unit a group; near ties are ties
    left, right = _sums(units[:, : groups // 2]), np.sort(_sums(units[:, groups // 2 :]), axis=1)
    # Rows lie far apart on one line, so that a single search serves all of them.
    apart = np.arange(rows, dtype=np.int64)[:, None] * (4 * (groups + 1) * UNIT)
    places = np.searchsorted((right + apart).ravel(), (bars[:, None] - left + apart).ravel()).reshape(left.shape)
    below = np.clip(places - np.arange(rows)[:, None] * right.shape[1], 0, right.shape[1])
    reached: NDArray[np.float64] = (right.shape[1] - below).sum(axis=1) / (left.shape[1] * right.shape[1])
    return reached


def _sums(units: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Every signed sum of each row."""
    import numpy as np

    sums = np.zeros((len(units), 1), dtype=np.int64)
    for column in units.T:
        sums = np.concatenate([sums + column[:, None], sums - column[:, None]], axis=1)
    return sums


def _drawn(units: Sequence[int]) -> float:
    import numpy as np

    generator, magnitudes = np.random.default_rng(SEED), np.asarray(units, dtype=np.int64)
    bar, reached = sum(units) - len(units), 0
    for _ in range(DRAWS // 1000):
        signs = generator.integers(0, 2, size=(1000, magnitudes.size), dtype=np.int64) * 2 - 1
        reached += int((signs @ magnitudes >= bar).sum())
    return (1 + reached) / (1 + DRAWS)


def t_p(deltas: Sequence[float]) -> float:
    """One-sided p for "candidate better" of the t test over groups; deltas without variance give 0 or 1."""
    from scipy import stats

    if len(deltas) < 2:
        return 1.0
    mean, sd = sum(deltas) / len(deltas), sample_sd(deltas)
    if sd == 0:
        return 0.0 if mean > 0 else 1.0
    return float(stats.t.sf(mean / sd * sqrt(len(deltas)), len(deltas) - 1))


def agreed_p(deltas: Sequence[float]) -> float:
    """Two-sided p on which t and sign-flip test agree: the larger of their one-sided ps, doubled."""
    directions = (list(deltas), [-delta for delta in deltas])
    return min(1.0, 2 * min(max(t_p(one), sign_flip_p(one)) for one in directions))


def _rounded(value: float) -> float:
    return round(value, DIGITS) + 0.0  # no -0.0 in a record
