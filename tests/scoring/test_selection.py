"""The selection report by hand, and its estimator against draws whose truth is known."""

import numpy as np
import pytest

from tasks.records.candidate import Candidate, Discovery, Search
from tasks.records.verdict import Interval
from tasks.scoring.selection import selection, shrinkage

HOLDOUT = Interval(mean=0.1, low=-0.1, high=0.3, level=0.95)


def search(*dev_scores: float) -> Search:
    """A search whose seed program has the first score, and whose best candidate is the last of the highest."""
    discoveries = tuple(
        Discovery(
            candidate=Candidate(program="repair", instructions={"patch": str(number)}),
            dev_score=score,
            metric_calls=number,
            parent=None,
        )
        for number, score in enumerate(dev_scores)
    )
    best = max(range(len(dev_scores)), key=lambda number: dev_scores[number])
    return Search(optimizer="gepa", discoveries=discoveries, proposals=9, metric_calls=50, best=best)


def test_the_report_by_hand() -> None:
    """Gains .2, .1, .4; error .1: 1 - 3 * .01 / .21 = 6/7 of .4; the gap is .4 - .1."""
    made = selection(search(0.3, 0.5, 0.4, 0.7), HOLDOUT, dev_groups=4, sd=0.2)
    assert (made.proposals, made.compared_on_dev, made.dev_best) == (9, 3, 0.7)
    assert (made.dev_gain, made.holdout_gain, made.gap) == (0.4, 0.1, 0.3)
    assert made.shrunken_gain == pytest.approx(0.4 * 6 / 7, abs=1e-8)


def test_gains_within_the_noise_shrink_to_nothing() -> None:
    """Gains no larger than their own error say nothing about the candidate."""
    assert selection(search(0.3, 0.35, 0.32), HOLDOUT, dev_groups=4, sd=0.2).shrunken_gain == 0.0


def test_a_search_that_found_nothing_gains_nothing() -> None:
    """The seed program is the best of one."""
    made = selection(search(0.3), HOLDOUT, dev_groups=4, sd=0.2)
    assert (made.compared_on_dev, made.dev_gain, made.shrunken_gain) == (0, 0.0, 0.0)


def test_the_best_of_twenty_is_overstated_raw_and_not_when_shrunken() -> None:
    """4,000 searches: true gains spread by .1, dev errors by .1: the raw best is .1 or more too high, the other not."""
    generator = np.random.default_rng(11)
    truth = generator.normal(0, 0.1, (4_000, 20))
    seen = truth + generator.normal(0, 0.1, truth.shape)
    best = seen.argmax(axis=1)
    rows = np.arange(len(seen))
    raw = seen[rows, best]
    shrunken = np.array([shrinkage(list(row), 0.1) for row in seen]) * raw
    assert (raw - truth[rows, best]).mean() > 0.1
    assert abs((shrunken - truth[rows, best]).mean()) < 0.01
