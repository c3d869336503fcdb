"""Holm and McNemar against statsmodels and a published example."""

import random

import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from tasks.scoring.families import holm, mcnemar_mid_p


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_statsmodels(seed: int) -> None:
    """multipletests(method="holm") adjusts the same ps to the same values, ties among them."""
    chance = random.Random(seed)
    ps = {f"c{number}": round(chance.random() ** 3, 2) for number in range(8)}
    expected = multipletests(list(ps.values()), method="holm")[1]
    actual = holm(ps)
    assert list(ps) == list(actual)
    assert list(expected) == pytest.approx(list(actual.values()), abs=1e-12)


def test_holm_by_hand() -> None:
    """.01 * 3, .02 * 2 and .03 * 1, which may not fall below .04."""
    assert holm({"b": 0.03, "a": 0.01, "c": 0.02}) == pytest.approx({"b": 0.04, "a": 0.03, "c": 0.04})


def test_the_mid_p_is_the_published_one() -> None:
    """Fagerland, Lydersen and Laake 2013, airway example: 7 against 1 gives .039, the exact conditional test .070."""
    assert round(mcnemar_mid_p(7, 1), 3) == 0.039
    assert round(mcnemar([[0, 7], [1, 0]], exact=True).pvalue, 3) == 0.070


@pytest.mark.parametrize(("gained", "lost"), [(7, 1), (1, 7), (6, 0), (0, 1), (9, 4), (20, 11)])
def test_the_mid_p_is_the_exact_p_less_its_own_point(gained: int, lost: int) -> None:
    """statsmodels' exact McNemar test, less the probability of the observed table."""
    exact = mcnemar([[0, gained], [lost, 0]], exact=True).pvalue
    point = stats.binom.pmf(min(gained, lost), gained + lost, 0.5)
    assert exact - point == pytest.approx(mcnemar_mid_p(gained, lost), abs=1e-12)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_balanced_changes_show_nothing(count: int) -> None:
    """As many gained as lost, or none of either: 1."""
    assert mcnemar_mid_p(count, count) == 1.0
