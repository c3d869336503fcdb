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
    """A mean over groups and its two-sided confidence interval, with what it stands on.

    `cases` are those that entered, in `groups` clusters; `sessions` are the declared ones a case and arm. Groups are
    the units: sessions and cases of one group only make it more precise.
    """

    mean: float
    low: float
    high: float
    level: float
    cases: int = 0
    groups: int = 0
    sessions: int = 0


class Regression(Record):
    """A case that the baseline reliably passes and the candidate reliably fails; `confirmed` in fresh sessions.

    Not `resolved` is one whose fresh sessions brought no score.
    """

    case_id: str
    confirmed: bool
    resolved: bool = True


class ComponentTest(Record):
    """One weighted component of the score: two-sided p on which both tests agree, and after Holm over all of them."""

    name: str
    p: float
    p_holm: float
    change: Literal["better", "worse", "undecided"]


class McNemar(Record):
    """Cases that pass in more than half of an arm's sessions, gained and lost; two-sided mid-p. It decides nothing."""

    gained: int
    lost: int
    cases: int
    p_mid: float


class Selection(Record):
    """What the search's best candidate owes to having been chosen: gains over the seed program, in score points.

    `gap` is `dev_gain` less `holdout_gain`; `compared_on_dev` counts the accepted candidates, `proposals` all that were
    tried on a minibatch; `shrunken_gain` is what `estimator` makes of the dev gains alone.
    """

    proposals: int
    compared_on_dev: int
    dev_best: float
    dev_gain: float
    shrunken_gain: float
    holdout_gain: float
    gap: float
    estimator: str


class Comparison(Record):
    """The paired comparison: unit case, cluster group.

    `deltas` holds one mean difference per group; `p_sign_flip` is one-sided for "better" and exact, `p_sign_flip_worse`
    for "worse"; `worst` and `best` are the intervals under worst- and best-case imputation of failures, and the
    `_imputed` ps the largest of the observed, the worst and the best case; `minimum_detectable_effect` is what both
    tests and the declared minimum effect let through with 80% power; `groups_needed` is how many groups in all would
    find the observed effect, None when it is no gain worth finding; `statements` are what a reader must not overlook.
    """

    deltas: dict[str, float]
    interval: Interval
    p_sign_flip: float
    p_sign_flip_worse: float = 1.0
    p_sign_flip_imputed: float = 1.0
    p_sign_flip_worse_imputed: float = 1.0
    worst: Interval
    best: Interval
    minimum_detectable_effect: float
    groups_needed: int | None = None
    components: dict[str, Interval]
    component_tests: tuple[ComponentTest, ...] = ()
    mcnemar: McNemar | None = None
    selection: Selection | None = None
    statements: tuple[str, ...] = ()
    regressions: tuple[Regression, ...]
    failures: int

    @property
    def regressed_components(self) -> tuple[str, ...]:
        """Components that fell, after Holm: what a total may hide."""
        return tuple(test.name for test in self.component_tests if test.change == "worse")


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
