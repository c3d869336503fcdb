"""Specs: what a person writes in `manifests/*.toml`. Unknown keys and wrong types are refused, by name."""

from typing import Literal

from pydantic import Field

from tasks.records.base import Record


class LM(Record):
    """A language model: `offline/rules`, `offline/reflector`, or a provider string."""

    model: str
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=2048, ge=1)


class OptimizerSpec(Record):
    """The search: its name, its budget in metric calls, the reflection minibatch, and what reflection may read.

    `placebo` shuffles feedback among training cases: the same search, the same spend, no information.
    """

    name: Literal["gepa"] = "gepa"
    max_metric_calls: int = Field(default=90, ge=1)
    minibatch: int = Field(default=3, ge=1)
    max_instruction_chars: int = Field(default=4000, ge=200)
    feedback: Literal["score", "components", "full"] = "full"
    placebo: bool = False


class Budget(Record):
    """Ceilings that hold for a whole experiment, across restarts."""

    lm_calls: int = Field(ge=1)
    tokens: int = Field(ge=1)
    cost_usd: float = Field(ge=0)
    seconds: float = Field(gt=0)
    tool_calls: int = Field(default=6, ge=1, le=50)
    repair_revisions: int = Field(default=1, ge=0, le=1)


class Policy(Record):
    """When a recommendation may be PROMOTE. `alpha` is two-sided and is divided by the corpus's declared looks."""

    alpha: float = Field(default=0.05, gt=0, lt=1)
    minimum_effect: float = Field(default=0.05, ge=0, le=1)
    max_failures: int = Field(default=0, ge=0)
    regression_reruns: int = Field(default=2, ge=1)
    grading_tiers: tuple[Literal["separate", "twinned", "in-process"], ...] = ("separate", "twinned")


class SandboxSpec(Record):
    """What isolation is required of the code under test. `allow_unsafe` is stamped and never promotable."""

    allow_unsafe: bool = False
    wall_seconds: float = Field(default=20.0, gt=0)
    memory_bytes: int = Field(default=1 << 30, ge=1 << 26)


class Spec(Record):
    """An experiment as a person writes it; `corpus` is relative to the spec's own folder."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    corpus: str
    program: Literal["repair"] = "repair"
    metric: Literal["repair/1"] = "repair/1"
    sessions: int = Field(default=3, ge=1, le=50)
    seed: int = Field(default=0, ge=0)
    concurrency: int = Field(default=2, ge=1, le=64)
    lm: LM
    reflection_lm: LM
    optimizer: OptimizerSpec = OptimizerSpec()
    budget: Budget
    policy: Policy = Policy()
    sandbox: SandboxSpec = SandboxSpec()
