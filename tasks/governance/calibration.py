"""Calibration: whether a design can detect the effect that its policy declares, said before money is spent.

Takes    the policy, and what the design can find, as plain numbers that scoring worked out.
Gives    what has to be found and over which margin; a Calibration with one sentence for a person.
Refuses  nothing: the flow stops where a Calibration is not `able`.
Source   DESIGN.md, "The seven stages", baseline, and "Statistics and policy"; superiority by a margin, in which the
         margin is what the interval has to clear and power is taken at an effect beyond it (Chow, Shao and Wang 2008,
         Sample Size Calculations in Clinical Research, 3.1).

"Detects" means: of holdouts drawn at that true gain, 80% bring an interval wholly above the margin and a sign-flip p
below its threshold. The true gain is not the bar: at a true gain of exactly `minimum_effect` the interval lies above it
one time in forty, however large the holdout. So a policy that declares a `sought_effect` has to find that one over the
bar, which is a promotion. One that declares a minimum effect alone has to tell that effect from none (margin 0): below
this the bar is finer than anything the design can see.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tasks.governance.wording import counted
from tasks.records.calibration import Calibration
from tasks.records.spec import Policy

MOST_SESSIONS = 7  # the standard of the requirement documents: seven paired sessions


class Aim(NamedTuple):
    """The true gain that has to be found, and what the interval has to lie above for that."""

    effect: float
    margin: float


@dataclass(frozen=True)
class Reach:
    """What a design finds with probability `power`; needs are counts in all, None where no number would do."""

    detectable: float
    power: float
    cases: int
    groups: int
    sessions: int
    groups_needed: int | None
    sessions_needed: int | None


def aim(policy: Policy) -> Aim:
    """What this policy's design has to be able to find."""
    if policy.sought_effect is not None:
        return Aim(policy.sought_effect, policy.minimum_effect)
    return Aim(policy.minimum_effect, 0.0)


def calibrated(policy: Policy, reach: Reach) -> Calibration:
    """The design held against its aim. A rule that estimates nothing, and a bar of 0, leave nothing to detect."""
    wanted = aim(policy)
    found = reach.detectable < 1 and reach.detectable <= wanted.effect  # 1.0 says that the design finds nothing
    able = policy.rule == "single" or wanted.effect == 0 or found
    return Calibration(
        effect=wanted.effect,
        margin=wanted.margin,
        detectable=reach.detectable,
        power=reach.power,
        cases=reach.cases,
        groups=reach.groups,
        sessions=reach.sessions,
        groups_needed=reach.groups_needed,
        cases_needed=_cases(reach),
        sessions_needed=reach.sessions_needed,
        able=able,
        statement=_said(policy, reach) if able else _short(policy, reach),
    )


def _cases(reach: Reach) -> int | None:
    """Cases in as many groups, of sizes like these, rounded up."""
    if reach.groups_needed is None or not reach.groups:
        return None
    return -(-reach.groups_needed * reach.cases // reach.groups)


def _said(policy: Policy, reach: Reach) -> str:
    if policy.rule == "single":
        return "The rule judges one patch by its own tests; no effect is estimated, so none has to be detectable."
    if not aim(policy).effect:
        return f"No effect is declared that would have to be found; {_sight(reach)}."
    return f"The design detects {_declared(policy)}: {_sight(reach)}."


def _short(policy: Policy, reach: Reach) -> str:
    return (
        f"the design cannot detect {_declared(policy)}: {_sight(reach)}. "
        f"What would: {' or '.join(_ways(reach)) or 'no number of groups or sessions, but a larger declared effect'}"
    )


def _declared(policy: Policy) -> str:
    wanted = aim(policy)
    if wanted.margin or policy.sought_effect is not None:
        return f"sought_effect {wanted.effect:g} above minimum_effect {wanted.margin:g}"
    return f"minimum_effect {wanted.effect:g}"


def _sight(reach: Reach) -> str:
    design = f"{counted(reach.cases, 'holdout case')} in {counted(reach.groups, 'group')}"
    if reach.detectable >= 1:
        return f"{design} over {counted(reach.sessions, 'session')} find no true gain with {reach.power:.0%} power"
    return (
        f"{design} over {counted(reach.sessions, 'session')} find a true gain from {reach.detectable:.3f} "
        f"with {reach.power:.0%} power"
    )


def _ways(reach: Reach) -> list[str]:
    ways = []
    if reach.groups_needed is not None:
        ways.append(f"{counted(reach.groups_needed, 'group')} of such sizes ({counted(_cases(reach) or 0, 'case')})")
    if reach.sessions_needed is not None:
        ways.append(f"{counted(reach.sessions_needed, 'session')} of these cases")
    return ways
