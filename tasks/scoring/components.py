"""Components: what a total may hide, one component after another, and cases gained and lost.

Takes    a Pairing; the two-sided level at which a component has changed.
Gives    an Interval and a Holm-adjusted test a component; McNemar's counts where every group is a single case.
Refuses  nothing.
Source   DESIGN.md, "Statistics and policy". The family is every component with weight, whatever the data say; those of
         weight 0 are told and not tested.

Not covered  few groups: with 8 components at .05 the sign-flip test shows no single fall with fewer than 9 groups
             (2 * 8 / 2**9 = .031), over two looks with fewer than 10.
"""

from tasks.records.verdict import ComponentTest, Interval, McNemar
from tasks.scoring.families import holm, mcnemar_mid_p
from tasks.scoring.inference import agreed_p
from tasks.scoring.pairing import ARMS, Pairing, component_value

PASSES = component_value("independent_tests")


def component_intervals(pairing: Pairing, level: float) -> dict[str, Interval]:
    """The observed interval of every component, by name."""
    names = dict.fromkeys(part.name for cards in pairing.cards.values() for card in cards for part in card.components)
    return {name: pairing.interval(level, value=component_value(name)) for name in names}


def component_tests(pairing: Pairing, alpha: float) -> tuple[ComponentTest, ...]:
    """One test a weighted component, in the metric's order; a change is one whose adjusted p is at most `alpha`."""
    parts = (part for cards in pairing.cards.values() for card in cards for part in card.components)
    names = dict.fromkeys(part.name for part in parts if part.weight > 0)
    deltas = {name: list(pairing.deltas(value=component_value(name)).values()) for name in names}
    ps = {name: agreed_p(rows) for name, rows in deltas.items()}
    return tuple(
        ComponentTest(
            name=name,
            p=ps[name],
            p_holm=adjusted,
            change="undecided" if adjusted > alpha else "better" if sum(deltas[name]) > 0 else "worse",
        )
        for name, adjusted in holm(ps).items()
    )


def mcnemar(pairing: Pairing) -> McNemar | None:
    """Cases gained and lost; None where cases share groups, for then they are no independent pairs."""
    if not pairing.singletons:
        return None
    pairs = [tuple(map(_passing, (pairing.values(case_id, arm, PASSES) for arm in ARMS))) for case_id in _both(pairing)]
    gained, lost = pairs.count((False, True)), pairs.count((True, False))
    return McNemar(gained=gained, lost=lost, cases=len(pairs), p_mid=mcnemar_mid_p(gained, lost))


def _both(pairing: Pairing) -> tuple[str, ...]:
    return tuple(case_id for case_id in pairing.case_ids if all((case_id, arm) in pairing.cards for arm in ARMS))


def _passing(passes: list[float]) -> bool:
    """In more than half of the scored sessions: a tie is a flaky pass, and that is no pass."""
    return sum(value == 1 for value in passes) * 2 > len(passes)
