"""Candidates: programs as plain data."""

from functools import cached_property

from pydantic import Field

from tasks.records.base import Record
from tasks.records.fingerprint import fingerprint


class Candidate(Record):
    """A program's optimization surface: one instruction a predictor. Never a pickle."""

    program: str
    instructions: dict[str, str]
    demos: dict[str, tuple[dict[str, str], ...]] = Field(default_factory=dict)
    parents: tuple[str, ...] = ()

    @cached_property
    def surface(self) -> str:
        """What a run of the program depends on: the same whatever the parents were. 64 hex digits."""
        return fingerprint({"program": self.program, **self.body()["instructions"], "demos": self.body()["demos"]})


class Discovery(Record):
    """One candidate of a search: its dev score in [0, 1], its parent, and the metric calls spent when it was found."""

    candidate: Candidate
    dev_score: float
    metric_calls: int
    parent: str | None


class Search(Record):
    """What an optimizer did: every accepted candidate in order, and how many proposals it made."""

    optimizer: str
    discoveries: tuple[Discovery, ...]
    proposals: int
    metric_calls: int
    best: int

    @property
    def accepted(self) -> int:
        """Accepted candidates beyond the seed."""
        return len(self.discoveries) - 1
