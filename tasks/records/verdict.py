"""From audit to decision. The candidate and the decision about it are separate objects with different fingerprints."""

from typing import Literal

from tasks.records.base import Record

VerdictName = Literal["PROMOTE", "REJECT", "INSUFFICIENT"]


class Check(Record):
    """One integrity check: what was checked, whether it held, and the detail."""

    name: str
    passed: bool
    detail: str


class Audit(Record):
    """Every check on one candidate; quality is not looked at."""

    manifest: str
    candidate: str
    checks: tuple[Check, ...]

    @property
    def intact(self) -> bool:
        return all(check.passed for check in self.checks)


class Look(Record):
    """One look at a holdout, keyed by the content of its cases."""

    holdout: str
    manifest: str
    candidate: str
    number: int


class Interval(Record):
    """A mean and its two-sided confidence interval."""

    mean: float
    low: float
    high: float
    level: float


class Regression(Record):
    """A case that the baseline reliably passes and the candidate reliably fails; `confirmed` in fresh sessions.

    Not `resolved` is one whose fresh sessions brought no score.
    """

    case_id: str
    confirmed: bool
    resolved: bool = True


class Comparison(Record):
    """The paired comparison: unit case, cluster group.

    `deltas` holds one mean difference per group; `p_sign_flip` is one-sided for "better" and exact, `p_sign_flip_worse`
    for "worse"; `worst` and `best` are the intervals under worst- and best-case imputation of failures; `groups_needed`
    is how many groups in all would find the observed effect, None when it is no gain worth finding.
    """

    deltas: dict[str, float]
    interval: Interval
    p_sign_flip: float
    p_sign_flip_worse: float = 1.0
    worst: Interval
    best: Interval
    minimum_detectable_effect: float
    groups_needed: int | None = None
    components: dict[str, Interval]
    regressions: tuple[Regression, ...]
    failures: int


class Decision(Record):
    """A recommendation. It activates nothing.

    `underpowered` is one about a design that was known not to detect its declared effect, and was run anyway.
    """

    verdict: VerdictName
    reasons: tuple[str, ...]
    would_change: tuple[str, ...]
    manifest: str
    candidate: str
    audit: str
    comparison: str
    evidence_class: Literal["fixture", "model"]
    underpowered: bool = False
