"""Specs: what a person writes in `manifests/*.toml`. Unknown keys and wrong types are refused, by name."""

import re
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, model_validator

from tasks.records.base import Record
from tasks.records.grading import GradingTier


class LM(Record):
    """A language model: `offline/rules`, `offline/reflector`, or a LiteLLM string such as `ollama_chat/qwen3:latest`.

    `api_base` is the address of its server, without credentials: keys come from the environment and stay there. The
    model may also be written `openai/name@http://host:port/v1`. `timeout_seconds` bounds one request,
    `patience_seconds` how long after its first trouble a call is still tried again.
    """

    model: str
    api_base: str | None = None
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=2048, ge=1)
    timeout_seconds: float = Field(default=600.0, gt=0, le=86400)
    patience_seconds: float = Field(default=120.0, ge=0, le=86400)

    @property
    def name(self) -> str:
        """Model and address: what the program asks for, and the broker answers to."""
        return f"{self.model}@{self.api_base}" if self.api_base else self.model

    @model_validator(mode="before")
    @classmethod
    def _address_apart(cls, written: Any) -> Any:
        """`model@http://...` is a model and an address."""
        if not isinstance(written, dict) or not (found := _ADDRESSED.fullmatch(str(written.get("model")))):
            return written
        if written.get("api_base") not in {None, found["base"]}:
            raise ValueError("the model and api_base name two addresses, expected one")
        return {**written, "model": found["model"], "api_base": found["base"]}

    @model_validator(mode="after")
    def _address_is_plain(self) -> Self:
        if self.api_base is not None and not _is_plain(self.api_base):
            raise ValueError("api_base must be http:// or https://, a host and a path, without credentials or query")
        return self


_ADDRESSED = re.compile(r"(?P<model>[^@]+)@(?P<base>https?://.*)")


def _is_plain(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises when it is none
    except ValueError:
        return False
    bare = parts.scheme in {"http", "https"} and bool(parts.hostname) and not (parts.query or parts.fragment)
    return bare and "@" not in parts.netloc and not re.search(r"\s", url)


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
    """When a recommendation may be PROMOTE: a preset's rule and version, with the values of this spec.

    `alpha` is two-sided and is divided by the corpus's declared looks. `minimum_effect` is what the interval has to lie
    above; `sought_effect` is the true gain that the holdout has to be able to find, without it the minimum effect
    itself has to be told from none. `overridden` are the keys in which the spec differs from its preset.
    """

    preset: str = "paired"
    version: str = "1"
    rule: Literal["paired", "single"] = "paired"
    overridden: tuple[str, ...] = ()
    alpha: float = Field(default=0.05, gt=0, lt=1)
    minimum_effect: float = Field(default=0.05, ge=0, le=1)
    sought_effect: float | None = Field(default=None, gt=0, le=1)
    max_failures: int = Field(default=0, ge=0)
    regression_reruns: int = Field(default=2, ge=1)
    component_regressions: Literal["bar", "tell"] = "bar"
    grading_tiers: tuple[GradingTier, ...] = Field(default=("separate", "twinned"), min_length=1)

    @model_validator(mode="after")
    def _seeks_more_than_its_bar(self) -> Self:
        if self.sought_effect is not None and self.sought_effect <= self.minimum_effect:
            raise ValueError(
                f"sought_effect {self.sought_effect:g} must be above minimum_effect {self.minimum_effect:g}: "
                "a candidate that is worth just the bar is hardly ever above it"
            )
        return self


class SandboxSpec(Record):
    """What isolation is required of the code under test. `allow_unsafe` is stamped and never promotable."""

    allow_unsafe: bool = False
    wall_seconds: float = Field(default=20.0, gt=0)
    memory_bytes: int = Field(default=1 << 30, ge=1 << 26)


# One name and no path; a leading `!` means the opposite in other tools, and nothing shortens the list.
NamePattern = Annotated[str, StringConstraints(pattern=r"^[^!/\\:\x00-\x1f][^/\\:\x00-\x1f]*$", max_length=255)]


class Spec(Record):
    """An experiment as a person writes it; `corpus` is relative to the spec's own folder.

    `exclude` are patterns of names of files and folders that stay out of every repository, beside those that always do.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    corpus: str
    exclude: tuple[NamePattern, ...] = Field(default=(), max_length=200)
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
