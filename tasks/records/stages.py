"""What each stage gives. A stage can only be called with the record of the stage before it."""

from typing import Literal

from tasks.records.attempt import Grading
from tasks.records.base import Record
from tasks.records.calibration import Calibration
from tasks.records.candidate import Candidate, Search
from tasks.records.grading import GradingPlan
from tasks.records.scorecard import Marks
from tasks.records.verdict import Audit, Comparison, Look, VerdictName


class Tally(Record):
    """How many of the expected nodes passed, public and sealed."""

    public: int
    public_of: int
    sealed: int
    sealed_of: int

    @property
    def all_passed(self) -> bool:
        return (self.public, self.sealed) == (self.public_of, self.sealed_of)


class ControlRow(Record):
    """One tree whose verdict is known beforehand, a tally for each grading; `held` when all came out as they must.

    What must `fail sealed alone` passes the public tests.
    """

    case_id: str
    patch: str
    must: Literal["pass", "fail", "fail sealed alone"]
    tallies: tuple[Tally, ...]
    held: bool


class RuleRow(Record):
    """One synthetic comparison whose verdict is known beforehand."""

    name: str
    must: VerdictName
    got: VerdictName


class Proven(Record):
    """A harness that its controls did not fool, and how it judges each case from here on."""

    manifest: str
    sandbox_tier: str
    environment: str
    plans: tuple[GradingPlan, ...]
    rows: tuple[ControlRow, ...]
    rule: tuple[RuleRow, ...]


class Baseline(Record):
    """The seed program on dev: scorecards over sessions, the noise floor and the minimum detectable effect.

    `minimum_detectable_effect` is told from no gain; `calibration` is what the policy's declared effect asks for.
    """

    manifest: str
    proven: str
    candidate: str
    marks: Marks
    attempts: tuple[str, ...]
    noise_floor: float
    noise_statement: str
    minimum_detectable_effect: float
    calibration: Calibration


class Optimized(Record):
    """What the search brought; `candidate` is None when nothing was accepted. `log` names the optimizer's own log."""

    manifest: str
    baseline: str
    search: Search
    candidate: Candidate | None
    attempts: tuple[str, ...]
    log: str


class Audited(Record):
    """A candidate and the integrity checks on it."""

    manifest: str
    optimized: str
    candidate: Candidate
    audit: Audit


class Paired(Record):
    """Baseline and candidate on the holdout, interleaved: paired scorecards and their comparison."""

    manifest: str
    audited: str
    look: Look
    marks: Marks
    attempts: tuple[str, ...]
    gradings: tuple[Grading, ...]
    comparison: Comparison
