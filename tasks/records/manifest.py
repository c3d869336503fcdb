"""Manifests: the frozen experiment, with every field that somebody needs to interpret its result."""

from typing import Literal

from tasks.records.base import Record
from tasks.records.candidate import Candidate
from tasks.records.grading import GradingTier
from tasks.records.spec import LM, Budget, OptimizerSpec, Policy, SandboxSpec


class ProgramVersion(Record):
    """The seed program: its candidate (the optimization surface) and its runtime policy."""

    name: str
    candidate: Candidate
    runtime_policy: dict[str, int]


class ProviderConfig(Record):
    """Both models as they will be called."""

    lm: LM
    reflection_lm: LM
    evidence_class: Literal["fixture", "model"]

    @property
    def by_role(self) -> dict[str, LM]:
        """What the program calls and what reflection calls; one model may be both, under different settings."""
        return {"lm": self.lm, "reflection_lm": self.reflection_lm}


class SnapshotRules(Record):
    """What never enters a repository's tree: the table that always holds, and the spec's own patterns."""

    table: str
    exclude: tuple[str, ...]
    max_file_bytes: int


class ValidationContract(Record):
    """What development validation runs, and how independent evaluation judges each test."""

    development: str
    grading_tiers: tuple[GradingTier, ...]
    """Strongest first; a test is judged by the first of them in which its case's control patch passes it."""
    regrades: int


class IndependentEvaluation(Record):
    """How sealed cases are evaluated: sessions, order of arms, looks that the corpus declares."""

    sessions: int
    order: Literal["interleaved"]
    looks: int


class Manifest(Record):
    """One frozen experiment. Fields are those of DESIGN.md, "Records"."""

    name: str
    program_version: ProgramVersion
    case_revisions: dict[str, str]
    case_groups: dict[str, str]
    dataset_fingerprint: str
    snapshot_rules: SnapshotRules
    train_ids: tuple[str, ...]
    dev_ids: tuple[str, ...]
    holdout_ids: tuple[str, ...]
    runtime_version: dict[str, str]
    provider_config: ProviderConfig
    tool_surface_version: str
    retrieval_version: str
    validation_contract: ValidationContract
    independent_evaluation: IndependentEvaluation
    metric_version: str
    optimizer_version: str
    optimizer_config: OptimizerSpec
    dspy_version: str
    seed: int
    budget: Budget
    source_revision: str
    policy: Policy
    sandbox_requirement: SandboxSpec
    concurrency: int


REQUIRED = tuple(Manifest.model_fields)
