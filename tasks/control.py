"""Control: a harness earns belief before it measures anything.

Takes    a Manifest.
Gives    a Proven harness: by which tier each test is judged; every case's untouched code and control patch graded
         that way over again, its no-op and known-wrong patches once, its trivial answers once beside the tests; and
         the decision rule tried on a known-better, an identical and a known-worse candidate.
Refuses  (HarnessUnproven) any row that does not come out as it must, all of them in one message.
Source   DESIGN.md, "The seven stages".
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple, Self

from tasks.governance.circumstances import Circumstances
from tasks.governance.gates import TWIN_BITS
from tasks.governance.policy import decide
from tasks.records.attempt import Grading, TestReport
from tasks.records.case import Case, Edit, Sealed
from tasks.records.errors import HarnessUnproven
from tasks.records.grading import GradingPlan
from tasks.records.manifest import Manifest
from tasks.records.stages import ControlRow, Proven, RuleRow, Tally
from tasks.records.tree import SourceFile, SourceTree
from tasks.records.verdict import Audit, Check, Comparison, VerdictName
from tasks.scoring.power import fewest_groups
from tasks.scoring.rules_controls import rule_controls
from tasks.scoring.statistics import compare
from tasks.trials.grader import Grader
from tasks.trials.laboratory import Laboratory
from tasks.workspace.trivial import trivial_trees

VERSION = "3"
REPEATS = 2
CONTROL_GROUPS = 8
TRIVIAL = "trivial: "
THOROUGH = frozenset({"untouched", "control"})
"""Rows of which something has to pass: graded with all doubts, and over again, because a test may flake."""


class Control(NamedTuple):
    """One tree whose verdict is known beforehand."""

    case: Case
    seal: Sealed
    patch: str
    tree: SourceTree
    must: Literal["pass", "fail", "fail sealed alone"]


class Graders(NamedTuple):
    """One judges as every later stage will. The other takes a pass for a pass, and so is harder to fail for a tree.

    No-op and known-wrong trees have to fail: whoever fails the second fails the first, too.
    """

    full: Grader
    plain: Grader

    @classmethod
    def of(cls, lab: Laboratory, plans: Mapping[str, GradingPlan]) -> Self:
        scope = lab.scope("control")
        bare = {case_id: undoubted(plan) for case_id, plan in plans.items()}
        return cls(Grader(lab.benches, lab.store, scope, plans), Grader(lab.benches, lab.store, scope, bare))

    def grade(self, one: Control) -> Grading:
        """As often and as thoroughly as this row asks for."""
        if one.patch.startswith(TRIVIAL):  # what has to notice them is the case's tests, and not the judge
            return self.plain.grade_trusted(one.case, one.seal, one.tree)
        if one.patch in THOROUGH:
            return self.full.grade_tree(one.case, one.seal, one.tree, REPEATS)
        return self.plain.grade_tree(one.case, one.seal, one.tree, times=1)


def control(lab: Laboratory, manifest: Manifest) -> Proven:
    """Prove the harness, or refuse to go on with it."""
    plans = plans_of(lab, manifest)
    graders = Graders.of(lab, plans)
    controls = list(controls_of(lab, graders.full))
    done = 0

    def row(one: Control) -> ControlRow:
        nonlocal done
        made = row_of(one, graders.grade(one))
        done += 1
        lab.progress("control trees", done, len(controls))
        return made

    with ThreadPoolExecutor(max_workers=manifest.concurrency) as pool:
        rows = tuple(pool.map(row, controls))
    rule = rule_rows(manifest)
    lab.note("control", asked=sum(each.asked for each in graders), computed=sum(each.computed for each in graders))
    refuse_unproven(rows, rule)
    return Proven(
        manifest=manifest.fingerprint,
        sandbox_tier=lab.sandbox.tier,
        environment=lab.environment,
        plans=tuple(plans.values()),
        rows=rows,
        rule=rule,
    )


def plans_of(lab: Laboratory, manifest: Manifest) -> dict[str, GradingPlan]:
    """How each case will be judged, by case; every row below is judged that way already."""
    grader = Grader(lab.benches, lab.store, lab.scope("control"))
    cases = (*lab.cases("train"), *lab.cases("dev"), *lab.cases("holdout"))
    plans: dict[str, GradingPlan] = {}

    def plan(case: Case) -> GradingPlan:
        seal = lab.corpus.seal(case.case_id)
        return grader.plan(case, seal, patched(grader, case, "control", seal.control.edits))

    with ThreadPoolExecutor(max_workers=manifest.concurrency) as pool:
        for made in pool.map(plan, cases):
            plans[made.case_id] = made
            lab.progress("grading plans", len(plans), len(cases))
    return plans


def controls_of(lab: Laboratory, grader: Grader) -> Iterator[Control]:
    """Untouched, no-op, control, known-wrong and trivial trees of every case."""
    for case in (*lab.cases("train"), *lab.cases("dev"), *lab.cases("holdout")):
        seal = lab.corpus.seal(case.case_id)
        right = patched(grader, case, "control", seal.control.edits)
        wrong = [(each, patched(grader, case, each.name, each.edits)) for each in seal.wrong]
        yield Control(case, seal, "untouched", case.repo, "fail")
        yield Control(case, seal, "no-op", commented(case.repo, seal.truth.files[0]), "fail")
        yield Control(case, seal, "control", right, "pass")
        for each, tree in wrong:
            yield Control(case, seal, each.name, tree, "fail sealed alone" if each.passes_public else "fail")
        for kind, tree in trivial_trees(case, right, *(tree for _, tree in wrong)):
            yield Control(case, seal, f"{TRIVIAL}{kind}", tree, "fail")


def undoubted(plan: GradingPlan) -> GradingPlan:
    """The plan without the second run that settles whether a test that passed apart can still fail.

    That run only ever takes passes away: a tree that fails without it fails with it, and costs half as much to grade.
    """
    nodes = (node.model_copy(update={"twins": ()}) if node.tier == "separate" else node for node in plan.nodes)
    return plan.model_copy(update={"nodes": tuple(nodes)})


def patched(grader: Grader, case: Case, name: str, edits: tuple[Edit, ...]) -> SourceTree:
    """The tree under a known patch. Raises HarnessUnproven when the patch does not apply in scope."""
    applied = grader.applied(case, edits)
    if applied.refusals:
        refused = "; ".join(f"{refusal.path}: {refusal.reason}" for refusal in applied.refusals)
        raise HarnessUnproven(f"patch {name!r} of case {case.case_id!r} does not apply: {refused}")
    return applied.tree


def commented(tree: SourceTree, path: str) -> SourceTree:
    """The tree with a comment at the end of one file: a patch that says much and does nothing."""
    file = tree.by_path[path]
    changed = file.model_copy(update={"content": file.content + b"\n# reviewed\n"})
    return tree.overlaid(SourceTree(files=(SourceFile(path=path, mode=file.mode, content=changed.content),)))


def row_of(one: Control, grading: Grading) -> ControlRow:
    """It holds when every repeat came out as it must."""
    return ControlRow(
        case_id=one.case.case_id,
        patch=one.patch,
        must=one.must,
        tallies=tuple(tally(one, report) for report in grading.reports),
        held=grading.agree and all(came_out(one, report) for report in grading.reports),
    )


def tally(one: Control, report: TestReport) -> Tally:
    """Passed nodes, public and sealed."""
    public, sealed = one.case.public.all, one.seal.nodes.all
    return Tally(
        public=report.passed(public),
        public_of=len(public),
        sealed=report.passed(sealed),
        sealed_of=len(sealed),
    )


def came_out(one: Control, report: TestReport) -> bool:
    """Control: everything passes. Untouched and no-op: exactly what must fail fails. Wrong: some sealed node fails.

    A trivial answer may also never come to an end.
    """
    failing = one.case.public.fail_to_pass + one.seal.nodes.fail_to_pass
    keeping = one.case.public.pass_to_pass + one.seal.nodes.pass_to_pass
    if one.must == "pass":
        return report.all_passed(failing + keeping)
    if one.patch in {"untouched", "no-op"}:
        return report.ended == "exit" and report.passed(failing) == 0 and report.all_passed(keeping)
    ended = report.ended == "exit" or (one.patch.startswith(TRIVIAL) and report.ended != "mismatch")
    admitted = one.must == "fail" or report.all_passed(one.case.public.all)
    return ended and admitted and not report.all_passed(one.seal.nodes.all)


def rule_rows(manifest: Manifest) -> tuple[RuleRow, ...]:
    """The decision rule under this manifest's policy, on candidates whose verdict is known."""
    rows = []
    alpha, looks = manifest.policy.alpha, manifest.independent_evaluation.looks
    for known in rule_controls(max(CONTROL_GROUPS, fewest_groups(alpha, looks))):
        comparison = compare(
            known.marks,
            known.groups,
            tuple(known.groups),
            sessions=known.sessions,
            alpha=alpha,
            looks=looks,
            minimum_effect=manifest.policy.minimum_effect,
        )
        rows.append(RuleRow(name=known.name, must=known.expected, got=verdict(comparison, manifest)))
    return tuple(rows)


def verdict(comparison: Comparison, manifest: Manifest) -> VerdictName:
    """What the policy says when nothing but the statistics can decide."""
    intact = Audit(manifest="", candidate="", checks=(Check(name="assumed", passed=True, detail="control"),))
    given = Circumstances(
        looks=manifest.independent_evaluation.looks,
        grading_tier=manifest.policy.grading_tiers[0],
        sandbox_tier="assumed",
        evidence_class=manifest.provider_config.evidence_class,
        twin_bits=TWIN_BITS,
    )
    return decide(comparison, intact, manifest.policy, given).verdict


def refuse_unproven(rows: tuple[ControlRow, ...], rule: tuple[RuleRow, ...]) -> None:
    """Raises HarnessUnproven, naming every row that did not hold."""
    problems = [
        f"case {row.case_id!r}: {row.patch} must {row.must}, "
        + ", ".join(f"{one.public}/{one.public_of} public {one.sealed}/{one.sealed_of} sealed" for one in row.tallies)
        for row in rows
        if not row.held
    ]
    problems += [f"rule: {row.name} must bring {row.must}, got {row.got}" for row in rule if row.must != row.got]
    if problems:
        raise HarnessUnproven(f"the harness is not proven: {'; '.join(problems)}")
