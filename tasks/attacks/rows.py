"""Rows: what an attack was expected to reach, and what it reached."""

from typing import Literal

from pydantic import Field

from tasks.records.base import Record

Suite = Literal["grading", "sandbox"]
Observed = Literal["blocked", "fooled", "leaked", "unexercised"]
Proof = Literal["proved", "redundant", "not shown here", "not proved"]

THROUGH = ("fooled", "leaked")


class Row(Record):
    """One attack on one tier. `ran` says what shows that the attack happened at all; `note` says what stopped it."""

    suite: Suite
    tier: str
    attack: str
    kind: str
    why: str
    expected: Observed
    observed: Observed
    ran: str = ""
    note: str = ""

    @property
    def red(self) -> bool:
        """Whether it got through where it must not."""
        return self.observed in THROUGH and self.expected not in THROUGH


class Acceptance(Record):
    """How often the true fix was accepted by one tier."""

    tier: str
    gradings: int
    accepted: int


class Killed(Record):
    """One defence, taken out: the rows that turned red without it.

    `proved`: alone. `redundant`: only together with the other walls in `redundant_with`, each of which holds alone.
    `not shown here`: this machine cannot show it, and `note` says why.
    """

    suite: Suite
    defence: str
    rows: tuple[str, ...]
    proof: Proof
    redundant_with: tuple[str, ...] = ()
    note: str = ""


class SuiteReport(Record):
    """Everything that one run of a suite found."""

    suite: Suite
    rows: tuple[Row, ...]
    acceptances: tuple[Acceptance, ...] = ()
    matrix: tuple[Killed, ...] = ()
    unavailable: dict[str, str] = Field(default_factory=dict)

    def count(self, tier: str, observed: Observed) -> int:
        return sum(row.tier == tier and row.observed == observed for row in self.rows)

    @property
    def tiers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.tier for row in self.rows))

    @property
    def troubles(self) -> tuple[str, ...]:
        """What must not be: an attack that got through, a true fix refused, a defence that nothing proves."""
        found = [f"{row.tier}: {row.attack} {row.observed}" for row in self.rows if row.red]
        found += [
            f"{one.tier}: the true fix was accepted in {one.accepted} of {one.gradings} gradings"
            for one in self.acceptances
            if one.accepted < one.gradings
        ]
        return (*found, *(f"defence not proved: {one.defence}" for one in self.matrix if one.proof == "not proved"))
