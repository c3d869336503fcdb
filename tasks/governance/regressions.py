"""Component regressions: what a better total may hide.

Takes    each component's interval, the weights of the metric, and adjusted ps where the caller has them.
Gives    the names of components that are worse by themselves, sorted.
Refuses  nothing.
Source   DESIGN.md, "Principles" 3 (a combined number is never reported alone). Components of weight 0 are recorded and
         judge nothing: a right patch may well be unlike the control patch.
"""

from collections.abc import Mapping

from tasks.records.verdict import Interval


def regressed(
    intervals: Mapping[str, Interval],
    weights: Mapping[str, float],
    *,
    adjusted: Mapping[str, float] | None = None,
    alpha: float = 0.05,
) -> tuple[str, ...]:
    """Weighed components whose interval lies below zero and, where ps are given, whose p is at most `alpha`.

    `adjusted` are two-sided ps, corrected for the whole family; `alpha` is the level of one look.
    """
    return tuple(
        name
        for name, interval in sorted(intervals.items())
        if weights.get(name, 0.0) > 0 and interval.high < 0 and (adjusted or {}).get(name, 0.0) <= alpha
    )
