"""Judge: named tests of a trusted tree against a candidate's tree, each in a sandbox of its own.

Takes    the candidate's whole tree, and the trusted tree: the untouched repository with the sealed files on top.
Gives    a TestReport for exactly the named nodes, all of tier "separate".
Refuses  nothing of either tree; raises SandboxTrouble when a sandbox, and not a tree, is to blame.
Covered      the tests' sandbox holds test files, their support and nothing that can be imported as the candidate's; the
             candidate's sandbox holds the candidate's tree, no sealed file and no name of a node. A candidate that
             dies, hangs, floods or closes its descriptors fails nodes, or the run ends at the wall clock.
             Both may be forked from warm interpreters, of which neither runs a candidate's code or is shown the
             other's files.
Not covered  tests that change the candidate's insides, look at its files, run it as a program, compare its objects:
             these fail here with a reason, and are for a weaker tier. What a test passes in, the candidate sees.
Source       DESIGN.md, "Running and grading code"; grading tier "separate".
"""

import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from tasks.records.attempt import TestReport
from tasks.records.errors import SandboxTrouble
from tasks.records.tree import SourceTree
from tasks.workspace.grading import HERE, INI, ROOT, SITE, STEADY, Account, Bench, accounted
from tasks.workspace.sandbox import Ended, Job, Mount, Running
from tasks.workspace.separate.material import CODE_FOLDERS, HEARD, TEST_FOLDERS, UNHEARD, is_material
from tasks.workspace.separate.placed import ANSWERING, ORACLE, TARGET, placed, script


def judge(
    bench: Bench, candidate: SourceTree, tests: SourceTree, nodes: tuple[str, ...], *, tree: str, hide_output: bool
) -> TestReport:
    """Run `nodes` of `tests` against `candidate`; `tree` is the fingerprint that the report shall name.

    Raises SandboxTrouble when a sandbox broke.
    """
    present = tuple(node for node in nodes if node.partition("::")[0] in tests.by_path)
    if not present:
        return bench.report(tree, nodes, Account(), "exit", hide_output=hide_output, by="separate")
    views = bench.workspaces
    with views.view(candidate, ROOT) as theirs, views.view(material(tests, present), ROOT) as ours:
        names = ",".join(sorted(proxied(bench, candidate, tests, present)))
        words = ("oracle", SITE, ROOT, INI, "hide" if hide_output else "show", names, *present)
        answering = _job(bench, theirs, ANSWERING, ("answering", SITE, ROOT))
        oracle = _job(bench, ours, ORACLE, words, results=True)
        ended = together(bench, answering, oracle)
    return bench.report(tree, nodes, *accounted(ended), hide_output=hide_output, by="separate")


def material(tests: SourceTree, nodes: Iterable[str]) -> SourceTree:
    """What of the trusted tree may lie beside the tests: tests and their support, and nothing else, not even data."""
    files = {node.partition("::")[0] for node in nodes}
    return SourceTree(files=tuple(file for file in tests.files if is_material(file.path) or file.path in files))


def proxied(bench: Bench, candidate: SourceTree, tests: SourceTree, nodes: Iterable[str]) -> frozenset[str]:
    """Top-level names that are the candidate's to define.

    Never one of the standard library or of pytest's environment, and a name that is new to the candidate's tree is no
    way to take the place of a test's support module.
    """
    ours = material(tests, nodes)
    support = {Path(part).stem for file in ours.files for part in Path(file.path).parts}
    reserved = sys.stdlib_module_names | {entry.stem for entry in bench.environment.site.iterdir()} | TEST_FOLDERS
    trusted = importable(tests, ours)
    return frozenset((trusted | (importable(candidate, ours) - support)) - reserved)


def importable(tree: SourceTree, ours: SourceTree) -> set[str]:
    """Top-level modules and packages, at the root and in src/, that are made of more than tests."""
    names: set[str] = set()
    for file in tree.files:
        if not file.path.endswith(".py") or is_material(file.path) or file.path in ours.by_path:
            continue
        for folder in CODE_FOLDERS:
            inside = Path(file.path)
            if inside.is_relative_to(folder):
                names.add(Path(inside.relative_to(folder).parts[0]).stem)
    return {name for name in names if name.isidentifier()}


def _job(bench: Bench, tree: Mount, files: tuple[str, ...], words: tuple[str, ...], *, results: bool = False) -> Job:
    name, *rest = words
    return Job(
        argv=(str(bench.environment.python), "-s", "-S", "-P", "-B", script(name), *rest),
        mounts=(
            tree, Mount(bench.environment.site, SITE), Mount(placed(files), TARGET),
            *((Mount(HERE / "grading.ini", INI),) if results else ()),
        ),
        chdir=ROOT, env=STEADY, results_fd=results,
        # The wall clock is the oracle's, or which of the two is killed first would be chance.
        limits=bench.limits if results else bench.limits.model_copy(update={"wall_seconds": None}),
    )  # fmt: skip


def together(bench: Bench, answering: Job, oracle: Job) -> Ended:
    """Start both, each at the other's wires, and end both when the tests have ended; how those ended."""
    with ExitStack() as held, ExitStack() as ours:
        asked, answered = (pipe(ours) for _ in range(2))
        candidate = bench.sandbox.start(replace(answering, wires=(asked[0], answered[1])))
        held.callback(candidate.kill)
        tests = bench.sandbox.start(replace(oracle, wires=(answered[0], asked[1])))
        held.callback(tests.kill)
        ours.close()  # or neither would see the other's end
        ended = tests.wait()
    assert ended is not None  # noqa: S101 - it was waited for without a timeout
    candidate.wait()  # a sandbox of the candidate's that broke is no failure of the candidate's
    if UNHEARD in ended.results or (HEARD not in ended.results and ended.how == "timeout"):
        _refuse_unstarted(candidate)
    return replace(ended, results=ended.results.replace(HEARD, b""))


def pipe(held: ExitStack) -> tuple[int, int]:
    """Its end to read from and its end to write to."""
    ends = os.pipe()
    for end in ends:
        held.callback(os.close, end)
    return ends


def _refuse_unstarted(candidate: Running) -> None:
    """Our worker speaks before it imports anything, so silence is not the candidate's doing. Raises SandboxTrouble."""
    ended = candidate.wait()
    said = " ".join(ended.stderr.decode(errors="replace").split())[-300:] if ended else ""
    raise SandboxTrouble(f"the candidate's sandbox ended before it answered anything: {said}")
