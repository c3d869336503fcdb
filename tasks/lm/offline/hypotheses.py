"""Hypotheses: single changes that would explain a failure, proposed by the families that an instruction asks for.

Takes    an Inquiry and the lessons in force.
Gives    the hypotheses that hold when the tests are walked with the change made, the plainest first.
Refuses  nothing; a search ends after MAX_TRIED changes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.lm.offline.changes import Change
from tasks.lm.offline.lessons import Lesson
from tasks.lm.offline.suspects import Inquiry
from tasks.lm.offline.walk.program import parsed

MAX_TRIED = 400
MAX_KEPT = 2


@dataclass(frozen=True)
class Hypothesis:
    """One change and why it would help; `cost` orders hypotheses, lower is plainer."""

    lesson: Lesson
    function: str
    change: Change
    cause: str
    cost: float


def holding(inquiry: Inquiry, proposed: Iterable[Hypothesis]) -> list[Hypothesis]:
    """At most MAX_KEPT hypotheses that repair every failing test and break none, plainest first."""
    kept: list[Hypothesis] = []
    seen: set[Change] = set()
    ordered = sorted(proposed, key=lambda one: one.cost - _mentioned(one, inquiry.issue))
    for hypothesis in ordered[:MAX_TRIED]:
        change = hypothesis.change
        if change in seen or "`" in change.old + change.new:
            continue
        seen.add(change)
        text = change.applied(inquiry.program.files[change.path])
        if parsed(text) is not None and inquiry.repairs(inquiry.program.changed({change.path: text})):
            kept.append(hypothesis)
        if len(kept) == MAX_KEPT:
            break
    return kept


def _mentioned(hypothesis: Hypothesis, issue: str) -> float:
    """A small favour for a change of a line, or in a function, whose words the issue uses."""
    spoken = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", issue)}
    code = f"{hypothesis.function} {hypothesis.change.new}"
    used = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", code.replace("_", " "))}
    return min(0.4, 0.1 * len(spoken & used))
