"""One program on one case in one session."""

from typing import Literal

from pydantic import Field

from tasks.records.base import Record
from tasks.records.case import Edit
from tasks.records.evidence import EvidencePacket
from tasks.records.grading import GradingTier

Locus = Literal["access", "retrieval", "budget", "safety", "reasoning", "validation", "none"]
NodeOutcome = Literal["passed", "failed", "error", "skipped", "missing"]
OutcomeType = Literal["scored", "provider", "sandbox", "harness", "budget", "tamper"]
Arm = Literal["baseline", "candidate", "control"]


class EditRefusal(Record):
    """Why an edit was not applied; an observation for the program, not an exception."""

    path: str
    reason: str


class TestReport(Record):
    """What a test run showed: an outcome for exactly the expected nodes, seen through typed records, not printed text.

    `ended` says how the process ended as seen from outside: by itself ("exit"), by a crash ("signal"), past a limit
    ("timeout", "output_limit", "memory"), or telling another story than was seen ("mismatch"). `shown` is bounded,
    escape-free text for people and models; `tier` is the sandbox's, `tiers` say by which grading tier each node was
    judged.
    """

    __test__ = False

    tree: str
    outcomes: dict[str, NodeOutcome]
    ended: Literal["exit", "signal", "timeout", "output_limit", "memory", "mismatch"]
    shown: str
    tier: str
    tiers: dict[str, GradingTier] = Field(default_factory=dict)

    def passed(self, nodes: tuple[str, ...]) -> int:
        """How many of `nodes` passed; 0 unless the process ended by itself and told the same story as seen outside."""
        return sum(self.outcomes.get(node) == "passed" for node in nodes) if self.ended == "exit" else 0

    def all_passed(self, nodes: tuple[str, ...]) -> bool:
        return self.passed(nodes) == len(nodes)


class Validation(Record):
    """Development validation of proposed edits: public tests only."""

    applied: bool
    in_scope: bool
    parses: bool
    refusals: tuple[EditRefusal, ...]
    tree: str
    report: TestReport | None
    passed: bool


class Proposal(Record):
    """Everything a repair program says. `edits` empty with `rejection` set is an explicit rejection."""

    diagnosis: str = ""
    suspected_files: tuple[str, ...] = ()
    missing_evidence: str = ""
    confidence: float = 0.0
    intervention: str = ""
    edits: tuple[Edit, ...] = ()
    rejection: str = ""
    rationale: str = ""
    expected_behavior_change: str = ""
    failure_analysis: str = ""
    revision_strategy: str = ""
    schema_valid: bool = True


class Usage(Record):
    """Counts of one attempt."""

    lm_calls: int
    input_tokens: int
    output_tokens: int
    tool_calls: int
    validations: int


class Process(Record):
    """How the investigation went: evidence about process, never about correctness."""

    repeated_calls: int
    rejected_calls: int
    unread_suspected_files: int
    stopped_early: bool


class Attempt(Record):
    """One program (a candidate's fingerprint) on one case in one session, with all that it saw and said."""

    case_id: str
    session: str
    arm: Arm
    candidate: str
    reproduction: TestReport
    evidence: EvidencePacket
    proposal: Proposal
    validations: tuple[Validation, ...]
    revisions: int
    usage: Usage
    process: Process
    locus: Locus
    outcome: OutcomeType = "scored"
    detail: str = ""


class Grading(Record):
    """Independent evaluation of a final tree, by fresh sandboxes that held the sealed tests."""

    case_id: str
    tree: str
    reports: tuple[TestReport, ...]
    agree: bool
