"""Judging: each test of a case by the strongest tier that its control patch passes in, and by no weaker one after.

Takes    a case's untouched tree, its sealed files, and a tree to judge.
Gives    a GradingPlan from the control patch's tree; under that plan, one TestReport for any other tree.
Refuses  nothing of a tree; raises SandboxTrouble when the sandbox, and not the tree, is to blame.
Covered      public tests, conftest files and configuration are those of the untouched tree in every tier, whatever a
             candidate did to them; a group of tests that did not end by itself shows nothing, and so does the report.
             A test that is judged apart fails with whoever cannot make it fail: see `doubts`.
Not covered  what the weakest tier of a plan does not cover: the plan says which that is, and the policy reads it.
             Changed copies of slow tests share one wall clock, and run out of it sooner than the tests alone.
Source   DESIGN.md, "Running and grading code".
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tasks.records.attempt import TestReport
from tasks.records.grading import GradingPlan, NodePlan
from tasks.records.tree import SourceTree
from tasks.workspace import doubts, twinned
from tasks.workspace.grading import Bench
from tasks.workspace.paths import protection
from tasks.workspace.separate.judge import judge as judge_apart


class Exam(NamedTuple):
    """What a case is judged by: its untouched tree and the sealed files that go on top of it."""

    case_id: str
    untouched: SourceTree
    sealed: SourceTree

    @property
    def trusted(self) -> SourceTree:
        """Tests, their support and their data, none of which a candidate wrote."""
        return self.untouched.overlaid(self.sealed)

    def restored(self, tree: SourceTree) -> SourceTree:
        """A candidate's tree with every test and every configuration file as it was before, and the sealed ones."""
        theirs = tuple(file for file in tree.files if not _judges(file.path))
        ours = tuple(file for file in self.untouched.files if _judges(file.path))
        return SourceTree(files=theirs).overlaid(SourceTree(files=ours)).overlaid(self.sealed)


def _judges(path: str) -> bool:
    return protection(path, named=False) is not None


Doubter = Callable[[tuple[NodePlan, ...]], TestReport]
"""What becomes of nodes that passed, at least one, in a run together with their changed copies."""


def plan(
    bench: Bench, exam: Exam, control: SourceTree, nodes: tuple[str, ...], *, trusted: Bench | None = None
) -> GradingPlan:
    """The tier of each node, found on the control patch's tree. `trusted` is where the untouched tree may run.

    A test is kept apart only if it also says of the untouched tree what it says in-process: one that can see nothing
    wrong from over there would pass anything.
    """
    fixed, broken = (_separate(bench, exam, tree, nodes) for tree in (control, exam.untouched))
    beside = (trusted or bench).test(exam.restored(exam.untouched), nodes, hide_output=True)
    strong = {node for node in nodes if fixed.all_passed((node,)) and broken.passed((node,)) == beside.passed((node,))}
    rest = tuple(node for node in nodes if node not in strong)
    weaker = _weaker(bench, exam, control, rest) if rest else {}
    doubted = doubts.drafted(exam.trusted, (node for node in nodes if node in strong), _apart(bench, exam, control))
    made = (weaker.get(node) or doubted.get(node) or NodePlan(node=node, tier="separate") for node in nodes)
    return GradingPlan(case_id=exam.case_id, nodes=tuple(made))


def _weaker(bench: Bench, exam: Exam, control: SourceTree, nodes: tuple[str, ...]) -> dict[str, NodePlan]:
    """Twins for what the control patch passes in one process; there is no tier for what it does not pass at all."""
    together, before = exam.restored(control), exam.restored(exam.untouched)
    report = bench.test(together, nodes, hide_output=True)
    fit = tuple(node for node in nodes if report.all_passed((node,)))
    doubled = twinned.planned(bench, together, exam.sealed, fit, untouched=before) if fit else ()
    plans = {each.node: each for each in doubled}
    unfit = NodePlan(node="", tier="in-process", why="the control patch does not pass it")
    return {node: plans.get(node) or unfit.model_copy(update={"node": node}) for node in nodes}


def judge(bench: Bench, exam: Exam, tree: SourceTree, by: GradingPlan, doubter: Doubter | None = None) -> TestReport:
    """What became of every node of the plan on this tree; the output of the tests stays here.

    A `doubter` may remember the doubts of a tree that is judged over again.
    """
    reports = []
    if apart := by.of("separate"):
        reports.append(_separate(bench, exam, tree, tuple(each.node for each in apart)))
        passed = tuple(each for each in apart if each.twins and reports[0].passed((each.node,)))
        if passed:  # what their doubts say of them counts more
            reports.append((doubter or doubts_of(bench, exam, tree))(passed))
    if doubled := by.of("twinned"):
        reports.append(twinned.judge(bench, exam.restored(tree), exam.sealed, doubled, hide_output=True))
    if together := tuple(each.node for each in by.of("in-process")):
        reports.append(bench.test(exam.restored(tree), together, hide_output=True))
    return merged(exam.restored(tree).fingerprint, tuple(each.node for each in by.nodes), reports)


def _separate(bench: Bench, exam: Exam, tree: SourceTree, nodes: tuple[str, ...]) -> TestReport:
    return _apart(bench, exam, tree)(exam.trusted, nodes)


def _apart(bench: Bench, exam: Exam, tree: SourceTree) -> doubts.Apart:
    named = exam.restored(tree).fingerprint
    return lambda trusted, nodes: judge_apart(bench, tree, trusted, nodes, tree=named, hide_output=True)


def doubts_of(bench: Bench, exam: Exam, tree: SourceTree) -> Doubter:
    """Asks for the doubts about this tree, afresh each time."""

    def ask(plans: tuple[NodePlan, ...]) -> TestReport:
        outcomes, report = doubts.judged(exam.trusted, plans, _apart(bench, exam, tree))
        assert report is not None  # noqa: S101 - there was a node to ask about
        return report.model_copy(update={"outcomes": outcomes, "tiers": dict.fromkeys(outcomes, "separate")})

    return ask


def merged(tree: str, nodes: tuple[str, ...], reports: Sequence[TestReport]) -> TestReport:
    """One report of several groups of nodes, in the order of `nodes`; it ended as the worst of them ended."""
    outcomes = {node: outcome for report in reports for node, outcome in report.outcomes.items()}
    tiers = {node: tier for report in reports for node, tier in report.tiers.items()}
    return TestReport(
        tree=tree,
        outcomes={node: outcomes[node] for node in nodes},
        ended=next((report.ended for report in reports if report.ended != "exit"), "exit"),
        shown="\n\n".join(report.shown for report in reports if report.shown),
        tier=reports[0].tier if reports else "none",
        tiers={node: tiers[node] for node in nodes},
    )
