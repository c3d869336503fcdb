"""Doubts: a test that is judged apart must still be able to fail, or its passing says nothing.

Takes    the trusted tree, a run of named tests of such a tree against a candidate, and nodes.
Gives    drafted: for each node changes of what it expects, each of which makes it fail on the control patch.
         judged: outcomes of nodes that passed while all their changed copies failed.
Refuses  nothing; what has no such changes is judged as it is.
Covered      answers that hold everything (a text of all numbers, an exception of every kind, a list of whatever could
             be looked for), loops that never run, functions of the tests' that are never called. Copies and originals
             are under new names and in a new order, in one run; the candidate sees neither, only what it is asked. It
             comes after a run of the originals alone, and both have to be passed: among many copies of one question a
             candidate could try one answer after the other, and see by what is asked next which was right.
Not covered  an assert without a literal of its own: an answer to `assert f(x)` or `f(xs) == sorted(xs)` is one. Whoever
             answers a question now so and then otherwise, by chance, is right in one of four gradings or less.
Source       DESIGN.md, "Running and grading code"; grading tier "separate".
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from tasks.records.attempt import NodeOutcome, TestReport
from tasks.records.fingerprint import sha256
from tasks.records.grading import NodePlan, Twin
from tasks.records.tree import SourceTree
from tasks.workspace.twinned import Changes, Copies, placed, readable
from tasks.workspace.twins import Candidates, Unfit, candidates, path_of

Outcomes = dict[tuple[str, int], NodeOutcome]
MOST_CHANGES, MOST_OF_ONE = 8, 2
UNFORESEEN = random.SystemRandom()
Apart = Callable[[SourceTree, tuple[str, ...]], TestReport]
"""Named tests of a trusted tree against one candidate."""


def drafted(trusted: SourceTree, nodes: Iterable[str], control: Apart) -> dict[str, NodePlan]:
    """Plans of nodes that can be copied, pass so, and whose changes, if they have any, fail twice."""
    copies = [made for node in nodes if (made := _copies(trusted, node))]
    chance = random.Random(trusted.fingerprint)  # noqa: S311 - a plan has to come out the same for everybody
    outcomes, _ = _run(trusted, copies, control, chance)
    plans = [_plan(trusted, each, outcomes) for each in copies]
    confirmed, _ = judged(trusted, plans, control, chance)
    return {plan.node: plan for plan in plans if confirmed[plan.node] == "passed"}


def _plan(trusted: SourceTree, copies: Copies, outcomes: Outcomes) -> NodePlan:
    failing = [
        Twin(changes=changes)
        for number, changes in enumerate(copies.changes)
        if number and outcomes[copies.node, number] == "failed"
    ]
    return NodePlan(
        node=copies.node, tier="separate", twins=tuple(failing), row=copies.row,
        source=sha256(trusted.by_path[path_of(copies.node)[0]].content),
    )  # fmt: skip


def judged(
    trusted: SourceTree, plans: Iterable[NodePlan], candidate: Apart, chance: random.Random = UNFORESEEN
) -> tuple[dict[str, NodeOutcome], TestReport | None]:
    """What became of each node, and the report of the run that says so; none where there is nothing to run."""
    copies = [Copies(plan.node, plan.row, [(), *(twin.changes for twin in plan.twins)]) for plan in plans]
    outcomes, report = _run(trusted, copies, candidate, chance)
    return {each.node: _outcome(each, outcomes) for each in copies}, report


def _outcome(copies: Copies, outcomes: Outcomes) -> NodeOutcome:
    original = outcomes[copies.node, 0]
    told = all(outcomes[copies.node, number] == "failed" for number in range(1, len(copies.changes)))
    return "failed" if original == "passed" and not told else original


def _run(
    trusted: SourceTree, copies: list[Copies], apart: Apart, chance: random.Random
) -> tuple[Outcomes, TestReport | None]:
    if not copies:
        return {}, None
    rewritten, names = placed(trusted, copies, chance)
    report = apart(rewritten, tuple(sorted(names.values())))
    return {key: report.outcomes[name] for key, name in names.items()}, report


def _copies(trusted: SourceTree, node: str) -> Copies | None:
    """The original and its changes; None if it cannot be copied."""
    try:
        found = candidates(readable(trusted.by_path.get(path_of(node)[0])), node, frozenset(), Counter())
    except Unfit:
        return None
    changes = list(_changes(found))[:MOST_CHANGES]
    return Copies(node, found.row, [(), *changes])


def _changes(found: Candidates) -> Iterator[Changes]:
    """What is nearest to every expectation, then a likely other value for each that has one, then what is next."""
    yield from _nth(found, 0)
    yield from (site.options[-1] for site in found.sites)
    for nth in range(1, MOST_OF_ONE):
        yield from _nth(found, nth)


def _nth(found: Candidates, nth: int) -> Iterator[Changes]:
    yield from ((spares[nth],) for spares in found.spares if nth < len(spares))
