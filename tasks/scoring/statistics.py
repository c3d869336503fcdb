"""The paired comparison of candidate and baseline on one split.

Takes    the Marks of both arms, each case's group, the ids that had to run, sessions a case and arm, alpha and looks.
Gives    a Comparison: unit case, repeats averaged inside a case, cases inside a group, groups weighing equally.
Refuses  scorecards of unknown cases, two for one (case, session, arm), or of different metrics: Damaged.
Source   DESIGN.md, "Statistics and policy".

The main interval uses the cases that both arms scored. `worst` gives every missing session to the baseline's advantage
(candidate 0, baseline 1), `best` the other way: a verdict has to survive both.
"""

from collections.abc import Collection, Mapping, Sequence
from math import ceil, floor, log

from tasks.records.scorecard import Marks
from tasks.records.verdict import Comparison, Regression
from tasks.scoring.cautions import cautions
from tasks.scoring.components import PASSES, component_intervals, component_tests, mcnemar
from tasks.scoring.design import Design, detectable_effect, group_sd, groups_for, sizes
from tasks.scoring.inference import sample_sd, sign_flip_p
from tasks.scoring.pairing import ARMS, Imputation, Pairing
from tasks.scoring.power import DISCORDANCE

IMPUTATIONS: tuple[Imputation, ...] = ("observed", "worst", "best")
REJECTED_BY_CHANCE = 0.008  # of identical programs; 1% is declared, the rest is left to the interval


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
    pairing = Pairing.of(marks.scorecards, groups, case_ids, sessions)
    level = 1 - alpha / looks
    deltas = {name: list(pairing.deltas(name).values()) for name in IMPUTATIONS}
    better = {name: sign_flip_p(rows) for name, rows in deltas.items()}
    worse = {name: sign_flip_p([-delta for delta in rows]) for name, rows in deltas.items()}
    observed = pairing.deltas()
    interval = pairing.interval(level)
    design = Design(sizes(pairing.case_groups), alpha, looks, max(0.0, minimum_effect), discordance=discordance)
    detectable, needed = _detection(design, deltas["observed"], interval.mean)
    return Comparison(
        deltas=observed,
        interval=interval,
        p_sign_flip=better["observed"],
        p_sign_flip_worse=worse["observed"],
        p_sign_flip_imputed=max(better.values()),
        p_sign_flip_worse_imputed=max(worse.values()),
        worst=pairing.interval(level, "worst"),
        best=pairing.interval(level, "best"),
        minimum_detectable_effect=detectable,
        groups_needed=needed,
        components=component_intervals(pairing, level),
        component_tests=component_tests(pairing, alpha / looks),
        mcnemar=mcnemar(pairing),
        statements=cautions(pairing, observed),
        regressions=tuple(
            Regression(case_id=case_id, confirmed=case_id in confirmed) for case_id in hard_regressions(marks, case_ids)
        ),
        failures=max(missing(marks, case_ids, sessions), sum(mark.arm in ARMS for mark in marks.failures)),
    )


def _detection(design: Design, deltas: Sequence[float], mean: float) -> tuple[float, int | None]:
    """What this design sees, and the groups for the observed mean, rounded down to 0.01.

    A sample that spreads more than the design assumes raises both in proportion; a quiet one lowers nothing.
    """
    seen = design.of_groups(len(deltas)) if design.group_sizes else design
    smallest = detectable_effect(seen)
    spread = max(1.0, sample_sd(deltas) / group_sd(seen)) if deltas else 1.0
    raised = design.margin + (smallest - design.margin) * spread
    gain = floor((design.margin + (mean - design.margin) / spread) * 100) / 100
    return round(min(1.0, raised), 3), groups_for(design, gain)


def hard_regressions(marks: Marks, case_ids: Sequence[str]) -> tuple[str, ...]:
    """Cases that the baseline passes in all of its scored sessions and the candidate in none of its own."""
    pairing = Pairing.of(marks.scorecards, {}, case_ids, 0)
    arms = {case_id: [pairing.values(case_id, arm, PASSES) for arm in ARMS] for case_id in pairing.case_ids}
    return tuple(
        case_id
        for case_id, (before, after) in arms.items()
        if before and after and min(before) == 1 and max(after) == 0
    )


def missing(marks: Marks, case_ids: Sequence[str], sessions: int) -> int:
    """Sessions that either arm owes a score for."""
    pairing = Pairing.of(marks.scorecards, {}, case_ids, sessions)
    owed = (sessions - len(pairing.cards.get((case, arm), ())) for case in pairing.case_ids for arm in ARMS)
    return sum(max(0, count) for count in owed)


def reruns_needed(cases: int, sessions: int) -> int:
    """Fresh sessions after which identical programs are rejected for a hard regression by chance at most 0.8% often.

    A coin-flip case looks like one in `n` sessions of both arms with probability 4**-n, and no case more often; `cases`
    of them together at most `cases` times that.
    """
    return max(1, ceil(log(max(1, cases) / REJECTED_BY_CHANCE, 4)) - sessions)
