"""Power: how small an effect a design can see, and how much sessions of one program differ among themselves.

Takes    counts of groups and sessions, an assumed discordance, the score grid; baseline scorecards.
Gives    effects in score points of [0, 1]; 1.0 means that this design can see nothing.
Refuses  nothing.
Source   DESIGN.md, "Statistics and policy"; power of the t test by the noncentral t distribution (Cohen 1988, 2.3);
         as reported of real providers: byte-identical programs move at temperature 0, deterministic ones do not.

The spread comes from an assumption, never from a quiet sample alone: a share `discordance` of cases changes its answer,
each by `step`, the gap between the scores of a rejection and of a right patch. Noise between sessions only adds to it.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from math import ceil, log2, sqrt

from tasks.records.base import Record
from tasks.records.scorecard import Scorecard
from tasks.scoring.inference import DIGITS

POWER = 0.8
DISCORDANCE = 0.25
STEP = 0.64  # repair/1: 1.00 for a right patch, 0.36 for an honest rejection
MAX_GROUPS = 10_000


class NoiseFloor(Record):
    """Within-case standard deviation between sessions of one program, pooled over cases; what it may be used for."""

    sd: float
    cases: int
    sessions: int
    deterministic: bool
    statement: str


def noise_floor(cards: Sequence[Scorecard]) -> NoiseFloor:
    """The pooled within-case sd of `total`; only cases with two sessions or more say anything."""
    totals: dict[str, list[float]] = defaultdict(list)
    for card in cards:
        totals[card.case_id].append(card.total)
    repeated = [values for values in totals.values() if len(values) > 1]
    freedom = sum(len(values) - 1 for values in repeated)
    squares = sum((value - sum(values) / len(values)) ** 2 for values in repeated for value in values)
    sd = round(sqrt(squares / freedom), DIGITS) if freedom else 0.0
    sessions = max((len(values) for values in totals.values()), default=0)
    still = bool(freedom) and sd == 0
    return NoiseFloor(
        sd=sd, cases=len(totals), sessions=sessions, deterministic=still, statement=_said(sd, len(repeated), still)
    )


def _said(sd: float, repeated: int, still: bool) -> str:
    if not repeated:
        return "One session a case: nothing is known about noise between sessions."
    if still:
        return (
            f"All sessions of {repeated} cases scored alike: a deterministic program shows zero noise, "
            "which says nothing about how cases differ; the detectable effect stands on the assumed discordance."
        )
    return f"Sessions of one case differ by a standard deviation of {sd:.3f}, over {repeated} cases."


def discordant_sd(discordance: float = DISCORDANCE, step: float = STEP) -> float:
    """Sd of a case delta when a share `discordance` in [0, 1] of cases moves by `step`, up or down alike."""
    return step * sqrt(discordance)


def design_sd(noise: NoiseFloor, sessions: int, *, discordance: float = DISCORDANCE, step: float = STEP) -> float:
    """Sd of a group delta: assumed discordance, plus the noise of two arms' session means.

    Cases of a group are taken to move together, so a large group is not narrower than one case: the cautious choice.
    """
    return sqrt(discordant_sd(discordance, step) ** 2 + 2 * noise.sd**2 / max(1, sessions))


def minimum_detectable_effect(
    n_groups: int, sd: float, *, alpha: float, looks: int = 1, power: float = POWER, grid: float = 0.0
) -> float:
    """The smallest true effect that both tests find with probability `power`, in [0, 1]; never below one `grid` step.

    1.0 when even gains in every group could not reach the sign-flip threshold alpha / (2 * looks).
    """
    if n_groups < max(2, fewest_groups(alpha, looks)):
        return 1.0
    effect = sd * _noncentrality(n_groups, alpha / looks, power) / sqrt(n_groups)
    return round(min(1.0, max(effect, grid)), DIGITS)


def fewest_groups(alpha: float, looks: int = 1) -> int:
    """Groups below which the smallest one-sided sign-flip p, 2**-n, stays above alpha / (2 * looks)."""
    return max(0, ceil(log2(2 * looks / alpha) - 1e-12))


def groups_needed(effect: float, sd: float, *, alpha: float, looks: int = 1, power: float = POWER) -> int | None:
    """The fewest groups whose minimum detectable effect is at most `effect`; None when 10,000 would not do."""
    low, high = max(2, fewest_groups(alpha, looks)), MAX_GROUPS
    if effect <= 0 or minimum_detectable_effect(high, sd, alpha=alpha, looks=looks, power=power) > effect:
        return None
    while low < high:  # the effect falls as groups are added
        middle = (low + high) // 2
        enough = minimum_detectable_effect(middle, sd, alpha=alpha, looks=looks, power=power) <= effect
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


@lru_cache(maxsize=4096)
def _noncentrality(n_groups: int, alpha: float, power: float) -> float:
    """The noncentrality at which a two-sided level-alpha t test finds a gain with probability `power`."""
    from scipy import optimize, stats

    freedom = n_groups - 1
    bar = float(stats.t.ppf(1 - alpha / 2, freedom))
    return float(optimize.brentq(lambda delta: stats.nct.sf(bar, freedom, delta) - power, 0.0, 4 * bar + 10))
