"""Remedies: the cheapest next experiment that could settle what this one left open, in units that somebody pays in.

Takes    a Comparison, the Circumstances of its making, and how many sessions would do where sessions would.
Gives    one sentence: cases, groups, sessions, LM calls and dollars beyond those that were spent.
Refuses  nothing.
Source   DESIGN.md, "The seven stages", recommend: INSUFFICIENT says which evidence is missing and what it would cost.

Two roads lead to a narrower interval: further groups at the same sessions, or further sessions of the same cases, which
helps only against noise between sessions. The cheaper is the one with fewer attempts: both pay the same an attempt.
Both assume the observed effect to be the true one. That flatters: an effect is seen larger than it is when it was
selected for being large.
"""

from dataclasses import dataclass
from math import ceil

from tasks.governance.circumstances import Circumstances
from tasks.governance.wording import counted
from tasks.records.verdict import Comparison

ARMS = 2


@dataclass(frozen=True)
class NextExperiment:
    """What to add: `groups` and `cases` new ones, at `sessions` a case and arm in all."""

    groups: int
    cases: int
    sessions: int
    attempts: int


def cheapest(comparison: Comparison, given: Circumstances) -> NextExperiment | None:
    """The road with the fewest attempts to the observed effect with 80% power; None where it is no gain."""
    return min(_roads(comparison, given), key=lambda one: one.attempts, default=None)


def _roads(comparison: Comparison, given: Circumstances) -> list[NextExperiment]:
    have, sessions, roads = len(comparison.deltas), max(1, given.sessions), []
    if comparison.groups_needed is not None:
        groups = max(1, comparison.groups_needed - have)
        cases = ceil(groups * max(given.cases, have) / max(1, have))
        roads.append(NextExperiment(groups, cases, sessions, ARMS * cases * sessions))
    if given.sessions_needed is not None and comparison.groups_needed is not None:
        further = max(1, given.sessions_needed - sessions)
        roads.append(NextExperiment(0, 0, sessions + further, ARMS * given.cases * further))
    return roads


def to_settle(comparison: Comparison, given: Circumstances) -> str:
    """The cheapest next experiment as a sentence, or that no experiment of this candidate is worth its price."""
    best, mean = cheapest(comparison, given), comparison.interval.mean
    if best is None:
        return (
            f"Another candidate: the observed mean of {mean:+.3f} is no gain worth finding, "
            "however many groups are added."
        )
    have = len(comparison.deltas)
    if best.groups:
        more = (
            f"{counted(best.groups, 'further holdout group')} ({counted(best.cases, 'case')}) "
            f"over {counted(best.sessions, 'session')}, {counted(have + best.groups, 'group')} in all"
        )
    else:
        more = (
            f"{counted(best.sessions - given.sessions, 'further session')} of the same {counted(given.cases, 'case')}, "
            f"{best.sessions} in all"
        )
    return f"{more}, to find {mean:+.3f} with 80% power{priced(best.attempts, given)}."


def priced(attempts: int, given: Circumstances) -> str:
    """About how many LM calls and dollars so many attempts are; nothing where neither is known."""
    calls = attempts * given.lm_calls_per_attempt
    if not calls:
        return ""
    dollars = "price unknown" if given.usd_per_call is None else f"${calls * given.usd_per_call:.2f}"
    return f": {counted(attempts, 'further attempt')}, about {calls:.0f} LM calls, {dollars}"
