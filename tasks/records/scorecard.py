"""Scores are values with reasons; failures are another type."""

from typing import Literal, Self

from pydantic import Field, model_validator

from tasks.records.attempt import Arm, OutcomeType
from tasks.records.base import Record
from tasks.records.case import Split


class Component(Record):
    """One part of a score in [0, 1], its weight in [0, 1], and the reason in words."""

    name: str
    value: float = Field(ge=0, le=1)
    weight: float = Field(ge=0, le=1)
    reason: str


class Scorecard(Record):
    """The score of one attempt: components whose weights sum to 1, and `total`, their weighted sum."""

    case_id: str
    group: str
    split: Split
    session: str
    arm: Arm
    metric: str
    attempt: str
    components: tuple[Component, ...]
    total: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        weight = sum(component.weight for component in self.components)
        total = sum(component.weight * component.value for component in self.components)
        if abs(weight - 1) > 1e-9 or abs(total - self.total) > 1e-8:
            raise ValueError(f"components weigh {weight} and total {total}, the card says {self.total}")
        return self


class Failure(Record):
    """An attempt without a score: whose fault, and what happened. It never becomes a zero."""

    case_id: str
    group: str
    split: Split
    session: str
    arm: Arm
    kind: OutcomeType
    detail: str
    lm_calls: int = 0


class Marks(Record):
    """What a pass over a split brought: scorecards and failures, in manifest order."""

    scorecards: tuple[Scorecard, ...]
    failures: tuple[Failure, ...] = ()

    def arm(self, arm: Arm) -> "Marks":
        return Marks(
            scorecards=tuple(card for card in self.scorecards if card.arm == arm),
            failures=tuple(failure for failure in self.failures if failure.arm == arm),
        )


class Feedback(Record):
    """What reflection may read about one graded attempt; sealed text never enters it."""

    level: Literal["score", "components", "full"]
    text: str
