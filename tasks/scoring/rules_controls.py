"""Controls of the decision rule: synthetic marks whose verdict is known before the rule sees them.

Takes    the number of holdout groups, sessions a case and arm.
Gives    three RuleControls: a known-better, an identical and a known-worse candidate.
Refuses  nothing.
Source   DESIGN.md, "The seven stages", control. A rule that cannot say all three verdicts here says nothing on a
         holdout.
"""

from tasks.records.attempt import Arm
from tasks.records.base import Record
from tasks.records.scorecard import Component, Marks, Scorecard
from tasks.records.verdict import VerdictName
from tasks.scoring.repair_metric import METRIC, WEIGHTS, total

CASES_A_GROUP = 2
RIGHT: dict[str, float] = dict.fromkeys(WEIGHTS, 1.0) | {"similarity": 0.5}
REJECTION: dict[str, float] = RIGHT | {
    "public_tests": 0.0,
    "independent_tests": 0.0,
    "motivating_concern": 0.5,
    "independent_fraction": 0.5,
    "similarity": 0.0,
}
WRONG: dict[str, float] = REJECTION | {"public_tests": 1.0, "motivating_concern": 0.0}


class RuleControl(Record):
    """Marks, the group of every case in them, and the verdict that they must bring."""

    name: str
    expected: VerdictName
    marks: Marks
    groups: dict[str, str]
    sessions: int


def rule_controls(n_groups: int = 8, sessions: int = 2) -> tuple[RuleControl, ...]:
    """Better gains in every group, in one case of two or in both; worse is better in a mirror; identical is still."""
    weak, strong = _weak(n_groups), _strong(n_groups)
    return (
        _control("known-better", "PROMOTE", weak, strong, n_groups, sessions),
        _control("identical", "INSUFFICIENT", strong, strong, n_groups, sessions),
        _control("known-worse", "REJECT", strong, weak, n_groups, sessions),
    )


Answers = dict[tuple[int, int], dict[str, float]]


def _weak(n_groups: int) -> Answers:
    """Rejections and wrong patches in turn: no case is solved."""
    cells = _cells(n_groups)
    return {cell: REJECTION if sum(cell) % 2 else WRONG for cell in cells}


def _strong(n_groups: int) -> Answers:
    """Every case is solved, but for the second one of every fourth group, which stays as weak as it was."""
    weak = _weak(n_groups)
    return {cell: weak[cell] if cell[0] % 4 == 3 and cell[1] else RIGHT for cell in weak}


def _cells(n_groups: int) -> list[tuple[int, int]]:
    return [(group, case) for group in range(n_groups) for case in range(CASES_A_GROUP)]


def _control(
    name: str, expected: VerdictName, before: Answers, after: Answers, n_groups: int, sessions: int
) -> RuleControl:
    arms: tuple[tuple[Arm, Answers], ...] = (("baseline", before), ("candidate", after))
    cards = tuple(
        synthetic_card(_case_id(cell), _group(cell), f"s{session}", arm, answers[cell])
        for cell in _cells(n_groups)
        for session in range(sessions)
        for arm, answers in arms
    )
    groups = {_case_id(cell): _group(cell) for cell in _cells(n_groups)}
    return RuleControl(name=name, expected=expected, marks=Marks(scorecards=cards), groups=groups, sessions=sessions)


def _case_id(cell: tuple[int, int]) -> str:
    return f"synthetic-{cell[0]}-{cell[1]}"


def _group(cell: tuple[int, int]) -> str:
    return f"synthetic-{cell[0]}"


def synthetic_card(case_id: str, group: str, session: str, arm: Arm, values: dict[str, float]) -> Scorecard:
    """A card of `repair/1` from component values; it stands for no attempt."""
    components = tuple(
        Component(name=name, value=values[name], weight=WEIGHTS[name], reason="synthetic") for name in WEIGHTS
    )
    return Scorecard(
        case_id=case_id,
        group=group,
        split="holdout",
        session=session,
        arm=arm,
        metric=METRIC,
        attempt="",
        components=components,
        total=total(components),
    )
