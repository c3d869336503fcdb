"""Rows: what an attack was expected to reach, and what it reached."""

from typing import Literal

from pydantic import Field

from tasks.records.base import Record

Suite = Literal["grading", "sandbox", "boundary"]
Observed = Literal["blocked", "fooled", "leaked", "unexercised"]
Status = Literal["held", "known", "red", "unexercised"]
Start = Literal["cold", "forked"]
Proof = Literal["proved", "redundant", "no wall", "not shown here", "not proved"]

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

    @property
    def status(self) -> Status:
        """What to make of it: a wall that held, a known limit, a hole, or an attack that did not happen."""
        if self.observed in THROUGH:
            return "red" if self.red else "known"
        return "held" if self.observed == "blocked" else "unexercised"


class Acceptance(Record):
    """How often the true fix was accepted by one tier."""

    tier: str
    gradings: int
    accepted: int


class Killed(Record):
    """One defence, taken out: the rows that turned red without it.

    `proved`: alone. `redundant`: only together with the other walls in `redundant_with`, each of which holds alone.
    `no wall`: it stops no attack, and `note` says what it is for. `not shown here`: this machine cannot show it, and
    `note` says why.
    """

    suite: Suite
    defence: str
    rows: tuple[str, ...]
    proof: Proof
    redundant_with: tuple[str, ...] = ()
    note: str = ""


class SuiteReport(Record):
    """Everything that one run of a suite found.

    `start` says whether what is attacked started cold or was forked from a warm interpreter; `bits` is the doubt that
    twins leave, by tier; `seconds` how long each tier took.
    """

    suite: Suite
    start: Start = "cold"
    rows: tuple[Row, ...]
    acceptances: tuple[Acceptance, ...] = ()
    matrix: tuple[Killed, ...] = ()
    bits: dict[str, float] = Field(default_factory=dict)
    seconds: dict[str, float] = Field(default_factory=dict)
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
