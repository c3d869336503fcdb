"""Component regressions, by hand-made intervals."""

from tasks.governance.regressions import regressed
from tasks.records.verdict import Interval


def between(low: float, high: float) -> Interval:
    return Interval(mean=(low + high) / 2, low=low, high=high, level=0.975)


INTERVALS = {
    "public_tests": between(0.1, 0.5),
    "scope_ok": between(-0.4, -0.1),
    "no_regression": between(-0.2, -0.01),
    "parses": between(-0.3, 0.0),
    "similarity": between(-0.6, -0.4),
}
WEIGHTS = {"public_tests": 0.04, "scope_ok": 0.04, "no_regression": 0.14, "parses": 0.04, "similarity": 0.0}


def test_weighed_components_below_zero_are_named() -> None:
    """An interval that touches zero is not below it; a component of weight 0 judges nothing."""
    assert regressed(INTERVALS, WEIGHTS) == ("no_regression", "scope_ok")


def test_an_adjusted_p_above_alpha_clears_a_component() -> None:
    """Two of five components below zero by one interval each is what chance brings; the family's p decides."""
    assert regressed(INTERVALS, WEIGHTS, adjusted={"no_regression": 0.06, "scope_ok": 0.01}) == ("scope_ok",)


def test_components_that_nobody_weighs_are_not_judged() -> None:
    """Without weights there is nothing that a total could hide."""
    assert regressed(INTERVALS, {}) == ()
