"""How the tests of a case are judged: by which tier, and with how much doubt left."""

from typing import Literal

from tasks.records.base import Record

GradingTier = Literal["separate", "twinned", "in-process"]
STRONGEST_FIRST: tuple[GradingTier, ...] = ("separate", "twinned", "in-process")


class Change(Record):
    """The text between two places of a test's file, replaced.

    Lines count from 1, columns from 0 and in UTF-8 bytes, as `ast` counts them.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str

    @property
    def span(self) -> tuple[int, int, int, int]:
        return (self.line, self.column, self.end_line, self.end_column)


class Twin(Record):
    """A near mutation of what one test expects, which fails on the control patch.

    `assertion` says that it failed there by an assertion, as opposed to an exception that it did not expect.
    """

    changes: tuple[Change, ...]
    assertion: bool = True


class NodePlan(Record):
    """How one node is judged; `why` says what kept it from a stronger tier, `bits` how much doubt its twins leave.

    Twins belong to the file whose content has the hash `source`. `row` is the parametrized row that the node runs.
    Twins of a node that is judged apart leave no bits: they show that it can still fail.
    """

    node: str
    tier: GradingTier
    why: str = ""
    twins: tuple[Twin, ...] = ()
    bits: float = 0.0
    source: str = ""
    row: int | None = None

    @property
    def worth(self) -> GradingTier:
        """What its passing is worth: twins that leave no doubt keep out objects that equal everything, and no more."""
        return "in-process" if self.tier == "twinned" and self.bits == 0 else self.tier


class GradingPlan(Record):
    """How every node of one case is judged: found out on its control patch, and used unchanged on every other tree."""

    case_id: str
    nodes: tuple[NodePlan, ...]

    @property
    def tier(self) -> GradingTier:
        """The weakest tier among the nodes: a case is worth no more."""
        return max((plan.worth for plan in self.nodes), key=STRONGEST_FIRST.index, default="separate")

    @property
    def bits(self) -> float:
        """Doubt left over all twinned nodes, in bits: somebody who guesses passes them all once in 2**bits gradings."""
        return sum(plan.bits for plan in self.nodes if plan.tier == "twinned")

    def of(self, tier: GradingTier) -> tuple[NodePlan, ...]:
        """The nodes that this tier judges."""
        return tuple(plan for plan in self.nodes if plan.tier == tier)
