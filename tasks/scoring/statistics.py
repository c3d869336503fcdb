"""The paired comparison of candidate and baseline on one split.

Takes    the Marks of both arms, each case's group, the ids that had to run, sessions a case and arm, alpha and looks.
Gives    a Comparison: unit case, repeats averaged inside a case, cases inside a group, groups weighing equally.
Refuses  scorecards of unknown cases, two for one (case, session, arm), or of different metrics: Damaged.
Source   DESIGN.md, "Statistics and policy". A session without a score is missing data, whether a failure says so
         or not.

The main interval uses the cases that both arms scored. `worst` gives every missing session to the baseline's advantage
(candidate 0, baseline 1), `best` the other way: a verdict has to survive both.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from tasks.records.attempt import Arm
from tasks.records.errors import Damaged
from tasks.records.scorecard import Marks, Scorecard
from tasks.records.verdict import Comparison, Interval, Regression
from tasks.scoring.inference import DIGITS, cluster_interval, sample_sd, sign_flip_p
from tasks.scoring.power import DISCORDANCE, STEP, discordant_sd, groups_needed, minimum_detectable_effect

Value = Callable[[Scorecard], float]
ARMS: tuple[Arm, Arm] = ("baseline", "candidate")
FAVOUR: dict[str, dict[Arm, float | None]] = {
    "observed": {"baseline": None, "candidate": None},
    "worst": {"baseline": 1.0, "candidate": 0.0},
    "best": {"baseline": 0.0, "candidate": 1.0},
}


def compare(
    marks: Marks,
    groups: Mapping[str, str],
    case_ids: Sequence[str],
    *,
    sessions: int,
    alpha: float,
    looks: int,
    minimum_effect: float = 0.0,
    confirmed: Collection[str] = (),
    discordance: float = DISCORDANCE,
) -> Comparison:
    """Compare the arms at level 1 - alpha / looks; `confirmed` are hard regressions that fresh sessions repeated.

    `groups` must know every id of `case_ids`; further ids in it are ignored.
    Raises Damaged for scorecards that cannot belong to this comparison.
    """
    check_cards(marks.scorecards, case_ids)
    level = 1 - alpha / looks
    table = _table(marks.scorecards)
    deltas = group_deltas(table, groups, case_ids, sessions, "observed", _total)
    bounds = {
        name: cluster_interval(list(group_deltas(table, groups, case_ids, sessions, name, _total).values()), level)
        for name in ("worst", "best")
    }
    interval = cluster_interval(list(deltas.values()), level)
    sd = max(discordant_sd(discordance), sample_sd(list(deltas.values())))  # a quiet sample lowers nothing
    grid = STEP / max(1, len(set(case_ids)))
    return Comparison(
        deltas=deltas,
        interval=interval,
        p_sign_flip=sign_flip_p(list(deltas.values())),
        p_sign_flip_worse=sign_flip_p([-delta for delta in deltas.values()]),
        worst=bounds["worst"],
        best=bounds["best"],
        minimum_detectable_effect=minimum_detectable_effect(len(deltas), sd, alpha=alpha, looks=looks, grid=grid),
        groups_needed=groups_needed(interval.mean - max(0.0, minimum_effect), sd, alpha=alpha, looks=looks),
        components=component_intervals(table, groups, case_ids, sessions, level),
        regressions=tuple(
            Regression(case_id=case_id, confirmed=case_id in confirmed) for case_id in hard_regressions(marks, case_ids)
        ),
        failures=max(missing(marks, case_ids, sessions), sum(mark.arm in ARMS for mark in marks.failures)),
    )


Table = dict[tuple[str, Arm], list[Scorecard]]


def _total(card: Scorecard) -> float:
    return card.total


def _table(cards: Sequence[Scorecard]) -> Table:
    table: Table = defaultdict(list)
    for card in cards:
        table[card.case_id, card.arm].append(card)
    return table


def check_cards(cards: Sequence[Scorecard], case_ids: Collection[str]) -> None:
    """Raises Damaged for an unknown case, a doubled (case, session, arm), or more than one metric."""
    cells = Counter((card.case_id, card.session, card.arm) for card in cards)
    problems = [f"two scorecards for {cell!r}" for cell, count in sorted(cells.items()) if count > 1]
    problems += [f"unknown case {case!r}" for case in sorted({card.case_id for card in cards} - set(case_ids))]
    metrics = sorted({card.metric for card in cards})
    if problems or len(metrics) > 1:
        raise Damaged("; ".join(["these scorecards make no comparison", *problems, f"metrics {metrics!r}"]))


def group_deltas(
    table: Mapping[tuple[str, Arm], Sequence[Scorecard]],
    groups: Mapping[str, str],
    case_ids: Sequence[str],
    sessions: int,
    imputation: str,
    value: Value,
) -> dict[str, float]:
    """Mean candidate-minus-baseline difference a group, in [-1, 1]; groups without a case in both arms are absent."""
    by_group: dict[str, list[float]] = defaultdict(list)
    for case_id in dict.fromkeys(case_ids):
        means = {
            arm: _case_mean([value(card) for card in table.get((case_id, arm), ())], sessions, FAVOUR[imputation][arm])
            for arm in ARMS
        }
        before, after = means["baseline"], means["candidate"]
        if before is not None and after is not None:
            by_group[groups[case_id]].append(after - before)
    return {name: round(sum(rows) / len(rows), DIGITS) + 0.0 for name, rows in sorted(by_group.items())}


def _case_mean(values: Sequence[float], sessions: int, imputed: float | None) -> float | None:
    filled = list(values) + ([] if imputed is None else [imputed] * max(0, sessions - len(values)))
    return sum(filled) / len(filled) if filled else None


def component_intervals(
    table: Mapping[tuple[str, Arm], Sequence[Scorecard]],
    groups: Mapping[str, str],
    case_ids: Sequence[str],
    sessions: int,
    level: float,
) -> dict[str, Interval]:
    """The observed interval of every component, by name: what a total may hide."""
    names = dict.fromkeys(part.name for cards in table.values() for card in cards for part in card.components)
    return {
        name: cluster_interval(
            list(group_deltas(table, groups, case_ids, sessions, "observed", component_value(name)).values()), level
        )
        for name in names
    }


def component_value(name: str) -> Value:
    """Reads one component of a card; a card without it counts 0."""
    return lambda card: next((part.value for part in card.components if part.name == name), 0.0)


def hard_regressions(marks: Marks, case_ids: Sequence[str]) -> tuple[str, ...]:
    """Cases that the baseline passes in all of its scored sessions and the candidate in none of its own."""
    table, passes = _table(marks.scorecards), component_value("independent_tests")
    arms = {
        case_id: [[passes(card) for card in table.get((case_id, arm), ())] for arm in ARMS]
        for case_id in dict.fromkeys(case_ids)
    }
    return tuple(
        case_id
        for case_id, (before, after) in arms.items()
        if before and after and min(before) == 1 and max(after) == 0
    )


def missing(marks: Marks, case_ids: Sequence[str], sessions: int) -> int:
    """Sessions that either arm owes a score for."""
    table = _table(marks.scorecards)
    return sum(max(0, sessions - len(table.get((case, arm), ()))) for case in dict.fromkeys(case_ids) for arm in ARMS)
