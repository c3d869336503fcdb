"""Pairing: scorecards of two arms, averaged inside a case, then inside a group.

Takes    scorecards, each case's group, the ids that had to run, sessions a case and arm.
Gives    one mean candidate-minus-baseline difference a group, in [-1, 1], observed or with failures imputed.
Refuses  scorecards of unknown cases, two for one (case, session, arm), or of different metrics: Damaged.
Source   DESIGN.md, "Statistics and policy". A session without a score is missing data, whether a failure says so
         or not.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from tasks.records.attempt import Arm
from tasks.records.errors import Damaged
from tasks.records.scorecard import Scorecard
from tasks.records.verdict import Interval
from tasks.scoring.inference import DIGITS, cluster_interval

Value = Callable[[Scorecard], float]
Imputation = Literal["observed", "worst", "best"]
ARMS: tuple[Arm, Arm] = ("baseline", "candidate")
FAVOUR: dict[Imputation, dict[Arm, float | None]] = {
    "observed": {"baseline": None, "candidate": None},
    "worst": {"baseline": 1.0, "candidate": 0.0},
    "best": {"baseline": 0.0, "candidate": 1.0},
}


def score_of(card: Scorecard) -> float:
    """The total."""
    return card.total


def component_value(name: str) -> Value:
    """Reads one component of a card; a card without it counts 0."""
    return lambda card: next((part.value for part in card.components if part.name == name), 0.0)


@dataclass(frozen=True)
class Pairing:
    """Both arms' cards by (case, arm), and where each case belongs. Case ids are distinct, in manifest order."""

    cards: Mapping[tuple[str, Arm], Sequence[Scorecard]]
    groups: Mapping[str, str]
    case_ids: tuple[str, ...]
    sessions: int

    @classmethod
    def of(cls, cards: Sequence[Scorecard], groups: Mapping[str, str], case_ids: Sequence[str], sessions: int) -> Self:
        """Sort the cards. Raises Damaged for cards that cannot belong to one comparison."""
        check_cards(cards, case_ids)
        table: dict[tuple[str, Arm], list[Scorecard]] = defaultdict(list)
        for card in cards:
            table[card.case_id, card.arm].append(card)
        return cls(cards=dict(table), groups=groups, case_ids=tuple(dict.fromkeys(case_ids)), sessions=sessions)

    @property
    def case_groups(self) -> tuple[str, ...]:
        """Each case's group, whether or not it brought a score."""
        return tuple(self.groups[case_id] for case_id in self.case_ids)

    @property
    def singletons(self) -> bool:
        """Whether no two cases share a group."""
        return len(set(self.case_groups)) == len(self.case_ids)

    def values(self, case_id: str, arm: Arm, value: Value = score_of) -> list[float]:
        """One number a scored session."""
        return [value(card) for card in self.cards.get((case_id, arm), ())]

    def case_deltas(self, imputation: Imputation = "observed", value: Value = score_of) -> dict[str, float]:
        """Mean difference a case; cases without a score in both arms are absent."""
        found = {}
        for case_id in self.case_ids:
            before, after = (self._mean(self.values(case_id, arm, value), FAVOUR[imputation][arm]) for arm in ARMS)
            if before is not None and after is not None:
                found[case_id] = after - before
        return found

    def deltas(self, imputation: Imputation = "observed", value: Value = score_of) -> dict[str, float]:
        """Mean difference a group, groups in sorted order; groups without a case in both arms are absent."""
        by_group: dict[str, list[float]] = defaultdict(list)
        for case_id, delta in self.case_deltas(imputation, value).items():
            by_group[self.groups[case_id]].append(delta)
        return {name: round(sum(rows) / len(rows), DIGITS) + 0.0 for name, rows in sorted(by_group.items())}

    def interval(self, level: float, imputation: Imputation = "observed", value: Value = score_of) -> Interval:
        """The cluster t interval, with the cases, groups and sessions that it stands on."""
        deltas = list(self.deltas(imputation, value).values())
        cases = len(self.case_deltas(imputation, value))
        return cluster_interval(deltas, level, cases=cases, sessions=self.sessions)

    def _mean(self, values: list[float], imputed: float | None) -> float | None:
        filled = values + ([] if imputed is None else [imputed] * max(0, self.sessions - len(values)))
        return sum(filled) / len(filled) if filled else None


def check_cards(cards: Sequence[Scorecard], case_ids: Collection[str]) -> None:
    """Raises Damaged for an unknown case, a doubled (case, session, arm), or more than one metric."""
    cells = Counter((card.case_id, card.session, card.arm) for card in cards)
    problems = [f"two scorecards for {cell!r}" for cell, count in sorted(cells.items()) if count > 1]
    problems += [f"unknown case {case!r}" for case in sorted({card.case_id for card in cards} - set(case_ids))]
    metrics = sorted({card.metric for card in cards})
    if problems or len(metrics) > 1:
        raise Damaged("; ".join(["these scorecards make no comparison", *problems, f"metrics {metrics!r}"]))
