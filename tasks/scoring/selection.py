"""Selection: what the best of several candidates owes to having been chosen.

Takes    a Search with the dev score of every accepted candidate; the holdout's Interval; how noisy a dev gain is.
Gives    a Selection: raw gain on dev, its shrunken estimate, the gap to the holdout, how many were tried.
Refuses  nothing.
Source   Empirical Bayes, normal-normal, prior variance by moments and prior mean 0 (no better than the seed program):
         Efron and Morris 1973, JASA 68:117; the factor is van Houwelingen and le Cessie's of 1990, Statistics in
         Medicine 9:1303. A posterior mean needs no further correction for having been the largest (Efron 2011, JASA
         106:1602).

Not covered  candidates of one lineage share cases and the seed's luck: taken for independent here, which makes their
             spread look smaller than it is and shrinks too much rather than too little.
"""

from math import sqrt

from tasks.records.candidate import Search
from tasks.records.verdict import Interval, Selection
from tasks.scoring.inference import DIGITS

ESTIMATOR = "empirical Bayes by moments toward the seed program's score (Efron and Morris 1973)"


def selection(search: Search, holdout: Interval, *, dev_groups: int, sd: float) -> Selection:
    """The report on the search's best candidate; `sd` is that of one dev group's gain, in score points."""
    seed = search.discoveries[0].dev_score
    gains = [found.dev_score - seed for found in search.discoveries[1:]]
    raw = search.discoveries[search.best].dev_score - seed
    factor = shrinkage(gains, sd / sqrt(max(1, dev_groups)))
    return Selection(
        proposals=search.proposals,
        compared_on_dev=len(gains),
        dev_best=round(search.discoveries[search.best].dev_score, DIGITS),
        dev_gain=round(raw, DIGITS) + 0.0,
        shrunken_gain=round(factor * raw, DIGITS) + 0.0,
        holdout_gain=holdout.mean,
        gap=round(raw - holdout.mean, DIGITS) + 0.0,
        estimator=ESTIMATOR,
    )


def shrinkage(gains: list[float], error: float) -> float:
    """The share of the gains' spread around 0 that `error`, the standard error of each, does not explain; in [0, 1]."""
    squares = sum(gain * gain for gain in gains)
    return max(0.0, 1 - len(gains) * error * error / squares) if squares else 0.0
