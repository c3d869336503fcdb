"""Interval and sign-flip test against scipy and statsmodels, and against counts made by hand."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

from tasks.scoring.inference import agreed_p, cluster_interval, sample_sd, sign_flip_p, sign_flip_ps

DELTAS = [0.31, 0.02, -0.11, 0.27, 0.64, 0.05, 0.13, -0.02]


@pytest.mark.parametrize("level", [0.9, 0.95, 0.975])
def test_the_interval_is_scipys(level: float) -> None:
    """scipy.stats.ttest_1samp gives the same two-sided interval."""
    expected = stats.ttest_1samp(DELTAS, 0).confidence_interval(level)
    actual = cluster_interval(DELTAS, level)
    assert (expected.low, expected.high) == pytest.approx((actual.low, actual.high), abs=1e-8)


def test_the_sign_flip_p_is_scipys_permutation_test() -> None:
    """scipy.stats.permutation_test over paired samples flips the same 2**8 signs."""
    expected = stats.permutation_test(
        (DELTAS,), sum, permutation_type="samples", alternative="greater", vectorized=False, n_resamples=10_000
    ).pvalue
    assert expected == sign_flip_p(DELTAS)


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        ([0.64] * 7 + [0.0], 2 / 256),
        ([0.64, 0.32, 0.1, 0.2, 0.3, 0.05, 0.6, 0.0], 2 / 256),
        ([0.1] * 8, 1 / 256),
        ([0.1] * 5, 1 / 32),
        ([0.0] * 8, 1.0),
        ([-0.1] * 4, 1.0),
        ([0.5, -0.5], 3 / 4),
        ([], 1.0),
    ],
)
def test_the_sign_flip_p_is_counted_by_hand(deltas: list[float], expected: float) -> None:
    """Flips that reach the observed sum, over all flips; zeros and ties count against the candidate."""
    assert expected == sign_flip_p(deltas)


def test_floating_point_splits_no_tie() -> None:
    """.1 + .2 and .3 are one amount: flips of [.1, .2, -.3] whose sum is 0 all count."""
    assert sign_flip_p([0.1, 0.2, -0.3]) == 5 / 8


def test_thirds_that_were_rounded_still_tie() -> None:
    """1/3 + 1/3 - 2/3 at nine digits: two flips of eight sum to 0, three to more."""
    assert sign_flip_p([round(1 / 3, 9), round(1 / 3, 9), -round(2 / 3, 9)]) == 5 / 8


def test_many_groups_are_drawn_from_a_fixed_seed() -> None:
    """Above 32 groups the p is a draw, the same one every time, near the normal approximation."""
    deltas = [0.1, -0.05, 0.2, 0.02, -0.1] * 9
    expected = stats.norm.sf(sum(deltas) / sum(delta**2 for delta in deltas) ** 0.5)
    assert sign_flip_p(deltas) == sign_flip_p(deltas)
    assert expected == pytest.approx(sign_flip_p(deltas), abs=0.01)


def test_a_drawn_p_is_never_zero() -> None:
    """40 gains in 40 groups: one of 100,001, not none."""
    assert sign_flip_p([0.5] * 40) == 1 / 100_001


def test_equal_deltas_give_a_point() -> None:
    """No variance was seen, so the t interval is a point; the sign-flip test is the one that stays honest."""
    interval = cluster_interval([0.3] * 3, 0.95)
    assert (interval.low, interval.mean, interval.high) == (0.3, 0.3, 0.3)
    assert sample_sd([0.1 + 0.2, 0.3]) == 0.0


@pytest.mark.parametrize("deltas", [[], [0.4]])
def test_fewer_than_two_groups_bound_nothing(deltas: list[float]) -> None:
    """A mean of one group has no error bar: everything is possible."""
    interval = cluster_interval(deltas, 0.95)
    assert (interval.low, interval.high) == (-1.0, 1.0)


def test_an_interval_stays_on_the_scale() -> None:
    """Differences of scores cannot leave [-1, 1]."""
    interval = cluster_interval([1.0, -1.0, 1.0], 0.95)
    assert (interval.low, interval.high) == (-1.0, 1.0)


def test_the_interval_is_statsmodels() -> None:
    """A regression on a constant alone, with its t interval."""
    expected = OLS(DELTAS, [1.0] * len(DELTAS)).fit().conf_int(0.05)[0]
    actual = cluster_interval(DELTAS, 0.95)
    assert list(expected) == pytest.approx([actual.low, actual.high], abs=1e-8)


@pytest.mark.parametrize("deltas", [DELTAS, [-delta for delta in DELTAS], [0.0, 0.1, -0.1, 0.2]])
def test_the_agreed_p_is_the_larger_of_scipys_two(deltas: list[float]) -> None:
    """One-sided ttest_1samp and permutation_test in the better supported direction, doubled."""

    def larger(side: str) -> float:
        flips = stats.permutation_test(
            (deltas,), sum, permutation_type="samples", alternative=side, vectorized=False, n_resamples=10_000
        )
        return max(stats.ttest_1samp(deltas, 0, alternative=side).pvalue, flips.pvalue)

    expected = min(1.0, 2 * min(larger("greater"), larger("less")))
    assert expected == pytest.approx(agreed_p(deltas))


def test_without_variance_the_sign_flip_test_alone_decides() -> None:
    """Eight equal gains: the t test would be certain, 2/256 is not; eight zeros show nothing."""
    assert agreed_p([0.3] * 8) == 2 / 256
    assert agreed_p([0.0] * 8) == 1.0
    assert agreed_p([0.3]) == 1.0


def test_rows_of_a_table_are_tested_one_by_one() -> None:
    """Every row as if it stood alone, odd and even numbers of groups."""
    for groups in (1, 2, 5, 8):
        table = np.round(np.random.default_rng(groups).uniform(-1, 1, (40, groups)), 2)
        expected = [
            sum(sum(flip) >= row.sum() - 1e-9 for flip in product(*((value, -value) for value in row))) / 2**groups
            for row in table
        ]
        assert expected == sign_flip_ps(table).tolist()


def test_a_large_exact_p_is_scipys_binomial() -> None:
    """Thirty equal deltas, 21 of them gains: 21 heads or more of a fair coin."""
    expected = stats.binom.sf(20, 30, 0.5)
    assert expected == pytest.approx(sign_flip_p([0.5] * 21 + [-0.5] * 9), rel=1e-12)
