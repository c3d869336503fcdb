"""Families of tests: Holm over components, and McNemar where a group is a single case.

Takes    ps by name; counts of cases that were gained and lost.
Gives    adjusted ps; a mid-p.
Refuses  nothing.
Source   Holm 1979, Scandinavian Journal of Statistics 6:65. McNemar by mid-p: Fagerland, Lydersen and Laake 2013, BMC
         Medical Research Methodology 13:91, in whose 9,595 scenarios it never exceeded the nominal level, while the
         exact conditional test was far too cautious. It decides nothing here: t interval and sign-flip test do.
"""

from collections.abc import Mapping


def holm(ps: Mapping[str, float]) -> dict[str, float]:
    """Each p adjusted for the whole family, in the family's own order; never below the p itself, at most 1."""
    adjusted: dict[str, float] = {}
    reached = 0.0
    for rank, name in enumerate(sorted(ps, key=lambda name: ps[name])):
        reached = max(reached, min(1.0, (len(ps) - rank) * ps[name]))
        adjusted[name] = reached
    return {name: adjusted[name] for name in ps}


def mcnemar_mid_p(gained: int, lost: int) -> float:
    """Two-sided mid-p of a fair coin over the discordant cases; 1 when gains and losses balance or there is none."""
    from scipy import stats

    discordant, fewer = gained + lost, min(gained, lost)
    if gained == lost:
        return 1.0
    tail, point = stats.binom.cdf(fewer, discordant, 0.5), stats.binom.pmf(fewer, discordant, 0.5)
    return float(min(1.0, 2 * tail - point))
