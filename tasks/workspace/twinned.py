"""Twinned: tests and candidate in one process, where nobody can see which tests are meant to pass.

Takes    a Bench, a tree, sealed files laid on top, and the plans of the nodes.
Gives    planned: how each node is judged, found out on the control patch. judge: a TestReport. Both are equal for equal
         trees.
Refuses  nothing of the tree; raises SandboxTrouble when the sandbox, and not the tree, is to blame.
Covered      A node passes if its original passed and all its twins failed in their call, as they did on the control
             patch. Objects that equal everything, expected values read from the stack or the disk, a patched pytest,
             forged records: whatever makes the original pass makes a twin pass, unless it knows which is which. That is
             known here alone. In the sandbox there are tests under random names in random order, all made in one way,
             in files that hold no other tests; names and order are drawn afresh for every grading. One process holds
             all of them: families are public (see `families`), so seeing them together tells nothing new, and whoever
             guesses guesses a value, so that more copies or processes would cost more and leave no more doubt.
Not covered  bits are those of one grading, and of all its repeats together: a guess that is right once is right again.
             Nodes with public tests, and nodes that pass before any patch, can be passed by knowing; they have 0 bits.
             What a candidate remembers from one test to the next can depend on the order in which they run.
Source       DESIGN.md, "Running and grading code"; grading tier "twinned".
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tasks.records.attempt import NodeOutcome, TestReport
from tasks.records.fingerprint import sha256
from tasks.records.grading import Change, NodePlan, Twin
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.families import numbers_in
from tasks.workspace.grading import Account, Bench, Ending, bounded
from tasks.workspace.twins import (
    Candidates,
    Site,
    Unfit,
    Variant,
    candidates,
    combinations,
    consistent,
    expected_values,
    path_of,
    spare,
    written,
)  # fmt: skip

MOST_COPIES, MOST_TESTS = 64, 1_500
CONFIRMATIONS = 3
MOST_SPARES = 4
TWIN_PASSES = "a twin does not fail in every order"
FAILED = [("setup", "passed"), ("call", "failed"), ("teardown", "passed")]
_random = random.SystemRandom()

Changes = tuple[Change, ...]


@dataclass
class Seen:
    """One run of many copies: what became of each, by node and number of its copy; 0 is the original."""

    account: Account
    ended: Ending
    names: dict[tuple[str, int], str]

    def original(self, node: str) -> NodeOutcome:
        return self.account.outcome(self.names[node, 0])

    def failed(self, node: str, number: int) -> bool:
        """Whether this copy failed in its call and nowhere else."""
        phases = self.account.phases.get(self.names[node, number], [])
        return [(phase.when, phase.outcome) for phase in phases] == FAILED

    def by_assertion(self, node: str, number: int) -> bool:
        return any(phase.assertion for phase in self.account.phases.get(self.names[node, number], []))


@dataclass
class Copies:
    """A node and the changes of each of its copies; the first is the original and has none."""

    node: str
    row: int | None
    changes: list[Changes] = field(default_factory=lambda: [()])


def judge(
    bench: Bench, tree: SourceTree, sealed: SourceTree | None, plans: tuple[NodePlan, ...], *, hide_output: bool
) -> TestReport:
    """One grading by twins; what it shows, if anything, comes from another run, without twins.

    Raises SandboxTrouble when the sandbox broke.
    """
    graded = tree if sealed is None else tree.overlaid(sealed)
    present = [plan for plan in plans if as_planned(graded, plan) is None]
    seen = run(
        bench, graded, [Copies(plan.node, plan.row, [(), *(twin.changes for twin in plan.twins)]) for plan in present]
    )
    outcomes = {plan.node: as_planned(graded, plan) or outcome(seen, plan) for plan in plans}
    nodes = tuple(outcomes)
    shown = "" if hide_output else bounded(bench.observe(graded, nodes, hide_output=False)[0].shown)
    return TestReport(
        tree=graded.fingerprint, outcomes=outcomes, ended=seen.ended, shown=shown, tier=bench.sandbox.tier,
        tiers={plan.node: plan.worth for plan in plans},
    )  # fmt: skip


def as_planned(tree: SourceTree, plan: NodePlan) -> NodeOutcome | None:
    """None if the test's file is the one that was planned for; otherwise what is wrong with it."""
    file = tree.by_path.get(path_of(plan.node)[0])
    return "missing" if file is None else "error" if sha256(file.content) != plan.source else None


def outcome(seen: Seen, plan: NodePlan) -> NodeOutcome:
    """The original's outcome, unless it passed while a twin did not fail as it must."""
    original = seen.original(plan.node)
    told = all(
        seen.failed(plan.node, number) and (seen.by_assertion(plan.node, number) or not twin.assertion)
        for number, twin in enumerate(plan.twins, start=1)
    )
    return "failed" if original == "passed" and not (told and plan.twins) else original


def run(bench: Bench, tree: SourceTree, copies: list[Copies], chance: random.Random = _random) -> Seen:
    """Run all copies in one fresh sandbox, under new names and in a new order, both left to `chance`."""
    rewritten, names = placed(tree, copies, chance)
    account, ended = bench.observe(rewritten, tuple(sorted(names.values())), hide_output=True)
    return Seen(account, ended, names)


def placed(
    tree: SourceTree, copies: list[Copies], chance: random.Random = _random
) -> tuple[SourceTree, dict[tuple[str, int], str]]:
    """The tree with the copies in the place of its tests, and the id of each by node and number."""
    variants = {
        (each.node, number): Variant(each.node, each.row, changes, f"test_{chance.getrandbits(48):012x}")
        for each in copies
        for number, changes in enumerate(each.changes)
    }
    shuffled = list(variants.values())
    chance.shuffle(shuffled)
    files = {path_of(variant.node)[0] for variant in shuffled}
    names = {key: variant.id for key, variant in variants.items()}
    rewritten = (_rewritten(tree.by_path[file], shuffled) for file in sorted(files))
    return tree.overlaid(SourceTree(files=tuple(rewritten))), names


def _rewritten(file: SourceFile, variants: Iterable[Variant]) -> SourceFile:
    own = (variant for variant in variants if path_of(variant.node)[0] == file.path)
    return SourceFile(path=file.path, mode=file.mode, content=written(file.text, own).encode())


class Choice(NamedTuple):
    """Twins that a node could have, and the bits that they would leave."""

    bits: float
    twins: list[Changes]


@dataclass
class Draft:
    """A node on the way to its plan."""

    node: str
    source: str
    found: Candidates
    tried: list[Changes] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    spares: frozenset[Change] = frozenset()
    choices: list["Choice"] = field(default_factory=list)
    twins: list[Twin] = field(default_factory=list)
    bits: float = 0.0
    why: str = ""

    def copies(self) -> Copies:
        return Copies(self.node, self.found.row, [(), *self.tried])

    def plan(self, why: str) -> NodePlan:
        """The plan; `why` says what keeps a twinned node at 0 bits."""
        if self.why:
            return NodePlan(node=self.node, tier="in-process", why=self.why)
        bits = 0.0 if why else self.bits
        return NodePlan(
            node=self.node, tier="twinned", why=why, twins=tuple(self.twins), bits=bits,
            source=sha256(self.source.encode()), row=self.found.row,
        )  # fmt: skip


def planned(
    bench: Bench, control_tree: SourceTree, sealed: SourceTree | None, nodes: tuple[str, ...],
    *, untouched: SourceTree | None = None,
) -> tuple[NodePlan, ...]:  # fmt: skip
    """How each node is judged. Nodes that pass on the untouched tree have 0 bits, if it is given.

    Raises SandboxTrouble when the sandbox broke.
    """
    graded = control_tree if sealed is None else control_tree.overlaid(sealed)
    known = Knowledge(graded, nodes)
    plans, drafts = drafted(graded, nodes, known)
    chance = random.Random(graded.fingerprint)  # noqa: S311 - a plan has to come out the same for everybody
    scout(bench, graded, drafts, chance)
    fit = [draft for draft in drafts if not draft.why]
    for draft in fit:
        draft.choices = choices(draft, known, most=max(2, min(MOST_COPIES, MOST_TESTS // len(nodes))))
    confirm(bench, graded, fit, chance)
    before = _passing(bench, untouched, sealed, nodes)
    for draft in drafts:
        plans[draft.node] = draft.plan(_known_answer(draft.node, sealed, before))
    return tuple(plans[node] for node in nodes)


class Knowledge:
    """What can be read in a tree beside what its tests expect."""

    def __init__(self, tree: SourceTree, nodes: tuple[str, ...]) -> None:
        files = {path_of(node)[0] for node in nodes} & tree.by_path.keys()
        self.counts: Counter[str] = Counter()
        numbers: set[Any] = set()
        for file in tree.files:
            if file.path in files and parsed(file.text):
                counts, elsewhere = expected_values(
                    file.text, (node for node in nodes if path_of(node)[0] == file.path)
                )
                self.counts += counts
                numbers |= elsewhere
            else:
                numbers |= set(numbers_in(file.text))
        self.numbers = frozenset(numbers)

    def others(self, source: str, node: str) -> Counter[str]:
        """How many other tests expect each value."""
        return self.counts - expected_values(source, (node,))[0]


def readable(file: SourceFile | None) -> str:
    """The source of a test file. Raises Unfit."""
    if file is None or not parsed(file.text) or file.text.encode() != file.content:
        raise Unfit("its file cannot be read as source")
    return file.text


def parsed(source: str) -> bool:
    try:
        compile(source, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def drafted(tree: SourceTree, nodes: tuple[str, ...], known: Knowledge) -> tuple[dict[str, NodePlan], list[Draft]]:
    """Plans for nodes that cannot have twins, drafts for the others."""
    plans: dict[str, NodePlan] = {}
    drafts = []
    for node in nodes:
        file = tree.by_path.get(path_of(node)[0])
        try:
            source = readable(file)
            found = candidates(source, node, known.numbers, known.others(source, node))
            drafts.append(Draft(node, source, found))
        except Unfit as unfit:
            plans[node] = NodePlan(node=node, tier="in-process", why=str(unfit))
    return plans, drafts


def scout(bench: Bench, tree: SourceTree, drafts: list[Draft], chance: random.Random) -> None:
    """Try every change by itself on the control patch; keep the sites all of whose values fail, and spares that do."""
    for draft in drafts:
        draft.tried = [*_alone(draft.found), *_spares_alone(draft.found)]
    seen = run(bench, tree, [draft.copies() for draft in drafts], chance)
    for draft in drafts:
        if seen.ended != "exit" or seen.original(draft.node) != "passed":
            draft.why = "the original does not pass beside its twins"
            continue
        failing = {
            changes: seen.by_assertion(draft.node, number)
            for number, changes in enumerate(draft.tried, start=1)
            if seen.failed(draft.node, number)
        }
        draft.sites = [site for site in draft.found.sites if all(option in failing for option in site.options)]
        draft.spares = frozenset(changes[0] for changes in _spares_alone(draft.found) if changes in failing)


def _alone(found: Candidates) -> list[Changes]:
    return [option for site in found.sites for option in site.options]


def _spares_alone(found: Candidates) -> list[Changes]:
    return [(each,) for spares in found.spares for each in spares[:MOST_SPARES]]


def choices(draft: Draft, known: Knowledge, most: int) -> list[Choice]:
    """Twins at the best sites, at fewer of them, and at none; those that leave most doubt first, then the fewest."""
    others = known.others(draft.source, draft.node)
    chosen = combinations(draft.sites, most)[0]
    made = []
    for count in range(len(chosen) + 1):
        sites, combined = combinations(chosen[:count], most)
        likely = consistent(draft.source, draft.node, known.numbers, others, sites, combined)
        bits = min(sum(site.bits for site in sites), math.log2(likely))
        varied = frozenset(number for site in sites for number in site.expectations)
        made.append(Choice(bits, [*combined, *_spares(draft, varied)]))
    return sorted((choice for choice in made if choice.twins), key=lambda choice: (-choice.bits, len(choice.twins)))


def _spares(draft: Draft, varied: frozenset[int]) -> Iterator[Changes]:
    """The nearest spare that works, for each expectation that has no site."""
    for number, options in enumerate(draft.found.spares):
        working = [nth for nth, each in enumerate(options) if each in draft.spares]
        if number not in varied and working:
            yield spare(draft.found, number, working[0], varied)


def confirm(bench: Bench, tree: SourceTree, drafts: list[Draft], chance: random.Random) -> None:
    """Run the first choice of each node in several random orders; where a twin does not fail, go on to the next."""
    while drafts:
        for draft in drafts:
            draft.bits, draft.tried = draft.choices.pop(0) if draft.choices else Choice(0.0, [])
            draft.why = "" if draft.tried else "nothing that it expects can be changed so that the control patch fails"
        for _ in range(CONFIRMATIONS):
            _confirm_once(bench, tree, [draft for draft in drafts if draft.tried and not draft.why], chance)
        drafts = [draft for draft in drafts if draft.why == TWIN_PASSES]


def _confirm_once(bench: Bench, tree: SourceTree, drafts: list[Draft], chance: random.Random) -> None:
    seen = run(bench, tree, [draft.copies() for draft in drafts], chance)
    for draft in drafts:
        numbers = range(1, len(draft.tried) + 1)
        if seen.ended != "exit" or seen.original(draft.node) != "passed":
            draft.why = "the original does not pass in every order of its twins"
        elif not all(seen.failed(draft.node, number) for number in numbers):
            draft.why = TWIN_PASSES
        else:
            asserted = [seen.by_assertion(draft.node, number) for number in numbers]
            draft.twins = [Twin(changes=one, assertion=by) for one, by in zip(draft.tried, asserted, strict=True)]


def _passing(
    bench: Bench, untouched: SourceTree | None, sealed: SourceTree | None, nodes: tuple[str, ...]
) -> frozenset[str]:
    if untouched is None:
        return frozenset()
    report = bench.test(untouched, nodes, sealed, hide_output=True)
    return frozenset(node for node in nodes if report.outcomes[node] == "passed")


def _known_answer(node: str, sealed: SourceTree | None, before: frozenset[str]) -> str:
    """Why somebody may know what passes without being right about anything new."""
    if sealed is None or path_of(node)[0] not in sealed.by_path:
        return "its test is public"
    return "it passes before any patch" if node in before else ""
