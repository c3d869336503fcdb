"""Proofs: that the tests of a case say the same of its control patch every time, in time.

Takes    a case with its seal, a bench for it, and how often to run.
Gives    the fastest run's seconds, and findings: tests that say now this and now that, tests that never pass, tests
         that take long.
Refuses  fewer than two runs; raises SandboxTrouble when the sandbox broke.
Covered      every declared node, public and sealed, on the control patch's tree; each run in a sandbox of its own.
             Every second run takes the tests in two halves, every other one in each, so that a test which needs its
             neighbour, or cannot bear it, is seen: no tier of grading promises which tests run together.
Not covered  what the harness holds still: hash seed, time zone, locale, the network. Tests that depend on one further
             away. Whether the tests fail without the
             patch, and by which tier they are judged, is for the control stage. Seconds are those of one process with
             both tests and patch; on a busy machine they grow, which is why the fastest run counts.
Source   DESIGN.md, "Running and grading code"; datasets/README.md, "Before a case is used".
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

from tasks.corpus.finding import Finding, Kind, sealed_tests
from tasks.records.case import Case, Sealed
from tasks.records.errors import Refusal
from tasks.records.tree import SourceTree
from tasks.trials.grader import exam_of
from tasks.workspace.edits import apply
from tasks.workspace.grading import Bench

SLOW_SECONDS = 4.0
"""A fifth of the wall clock that a run has by default: gradings happen side by side, and twins share one clock."""


class Proof(NamedTuple):
    """What became of one case; `seconds` is None where nothing ran."""

    case_id: str
    seconds: float | None
    findings: tuple[Finding, ...]


def prove(case: Case, seal: Sealed, bench: Bench, repeats: int, slow_seconds: float = SLOW_SECONDS) -> Proof:
    """Run the tests of one case on its control patch, over again."""
    if repeats < 2:
        raise Refusal(f"repeats = {repeats}: expected at least 2, one run cannot differ from itself")
    applied = apply(case.repo, seal.control.edits, case.scope)
    if applied.refusals:
        return Proof(case.case_id, None, ())  # reading has said so
    tree, nodes = exam_of(case, seal).restored(applied.tree), case.public.all + seal.nodes.all
    seconds: list[float] = []
    runs: list[dict[str, str]] = []
    for turn in range(repeats):
        if turn % 2:
            runs.append({node: end for half in halves(tree, nodes) for node, end in _ends(bench, tree, half).items()})
        else:
            started = time.monotonic()
            runs.append(_ends(bench, tree, nodes))
            seconds.append(time.monotonic() - started)
    findings = (*_unsteady(case, nodes, runs), *_slow(case, min(seconds), slow_seconds))
    return Proof(case.case_id, min(seconds), findings)


def halves(tree: SourceTree, nodes: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Every other test in each, in the order in which they stand in their files."""

    def place(node: str) -> tuple[str, int, str]:
        path, *_, name = node.split("::")
        file = tree.by_path.get(path)
        return path, file.text.find(f"def {name.partition('[')[0]}(") if file else -1, name

    ordered = sorted(nodes, key=place)
    return tuple(ordered[::2]), tuple(ordered[1::2])


def _ends(bench: Bench, tree: SourceTree, nodes: tuple[str, ...]) -> dict[str, str]:
    """What became of each node; how the run ended, where that decides."""
    report = bench.test(tree, nodes, hide_output=True)
    return {node: report.outcomes[node] if report.ended == "exit" else report.ended for node in nodes}


def _unsteady(case: Case, nodes: tuple[str, ...], runs: list[dict[str, str]]) -> Iterator[Finding]:
    """Nodes that differ between runs, and nodes that pass in none."""
    for node in nodes:
        outcomes = [run[node] for run in runs]
        told = ", ".join(outcomes)
        if len(set(outcomes)) > 1:
            detail = f"{node} of {case.case_id!r} says of its control patch in {len(outcomes)} runs: {told}"
            yield _finding("flaky-test", case, detail, node)
        elif outcomes[0] != "passed":
            detail = f"{node} of {case.case_id!r} does not pass on its control patch: {outcomes[0]}"
            yield _finding("failing-control", case, detail, node)


def _slow(case: Case, seconds: float, slow_seconds: float) -> Iterator[Finding]:
    if seconds > slow_seconds:
        detail = f"the tests of {case.case_id!r} take more than {slow_seconds:g} s, the fastest run {seconds:.1f} s"
        where = (f"cases/{case.case_id}/repo", sealed_tests(case.case_id))
        yield Finding(kind="slow-tests", case_ids=(case.case_id,), detail=detail, where=where)


def _finding(kind: Kind, case: Case, detail: str, node: str) -> Finding:
    path = node.partition("::")[0]
    ours = node in case.public.all
    where = f"cases/{case.case_id}/repo/{path}" if ours else sealed_tests(case.case_id, path)
    return Finding(kind=kind, case_ids=(case.case_id,), detail=detail, where=(where,))
