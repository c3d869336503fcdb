"""Calibration: what a design can detect, settled before optimization is paid for."""

from tasks.records.base import Record


class Calibration(Record):
    """Whether the holdout can find the effect that the policy declares; all effects in score points of [0, 1].

    `effect` is the true gain to find and `margin` what the interval has to lie above for that; `detectable` is the
    smallest true gain that this design finds with probability `power`. `groups_needed`, `cases_needed` and
    `sessions_needed` are how many in all would do, each with the others as they are; None where none would.
    """

    effect: float
    margin: float
    detectable: float
    power: float
    cases: int
    groups: int
    sessions: int
    groups_needed: int | None
    cases_needed: int | None
    sessions_needed: int | None
    able: bool
    statement: str
