"""Metrics: records as flat {name: number}, named so that runs compare side by side.

Gives    `baseline/dev/score`, `candidate/holdout/public_tests`, `delta/holdout/score`, `..._low`, `..._high`. Means are
         rounded to DIGITS, so that equal evidence shows equal numbers.
"""

from collections import defaultdict
from collections.abc import Iterable

from tasks.records.attempt import Arm
from tasks.records.case import Split
from tasks.records.scorecard import Marks, Scorecard
from tasks.records.verdict import Comparison, Interval

SCORE = "score"
DIGITS = 9


def mean_scores(arm: Arm, split: Split, marks: Marks) -> dict[str, float]:
    """Mean total and component values of one arm: repeats averaged inside a case, cases weighing the same."""
    cards = [card for card in marks.scorecards if (card.arm, card.split) == (arm, split)]
    failures = sum((failure.arm, failure.split) == (arm, split) for failure in marks.failures)
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for card in cards:
        for name, value in _values(card):
            values[name][card.case_id].append(value)
    means = {
        f"{arm}/{split}/{name}": round(_mean(map(_mean, cases.values())), DIGITS) for name, cases in values.items()
    }
    return {**means, f"{arm}/{split}/failures": float(failures)}


def interval_scores(name: str, interval: Interval) -> dict[str, float]:
    """`name`, `name_low` and `name_high`."""
    return {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}


def comparison_scores(comparison: Comparison, split: Split = "holdout") -> dict[str, float]:
    """`delta/<split>/...` for the score and every component that differs, and what the comparison could have seen."""
    deltas = interval_scores(f"delta/{split}/{SCORE}", comparison.interval)
    for name, interval in comparison.components.items():
        if any((interval.mean, interval.low, interval.high)):
            deltas |= interval_scores(f"delta/{split}/{name}", interval)
    return {
        **deltas,
        f"delta/{split}/p_sign_flip": comparison.p_sign_flip,
        f"delta/{split}/minimum_detectable_effect": comparison.minimum_detectable_effect,
        f"delta/{split}/confirmed_regressions": float(sum(found.confirmed for found in comparison.regressions)),
    }


def _values(card: Scorecard) -> Iterable[tuple[str, float]]:
    yield SCORE, card.total
    for component in card.components:
        yield component.name, component.value


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known)
