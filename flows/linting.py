"""Linting a corpus from the command line: what reading finds, what runs of its tests find, and what a person sees."""

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from tasks.corpus.finding import Finding, in_order
from tasks.corpus.inspecting import inspect
from tasks.records.base import Record
from tasks.records.case import Case, Corpus, Split
from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.ingest import BY_RULE, LeftOut, survey

if TYPE_CHECKING:
    from tasks.trials.laboratory import Progress
    from tasks.trials.proofs import Proof

WORKERS = 2
MAX_TOLD, MAX_SHOWN = 200, 20


class LintReport(Record):
    """What was looked at and what was found; `test_seconds` is empty where no tests were run."""

    corpus: str
    version: str
    cases: dict[Split, int]
    runs_per_case: int
    test_seconds: dict[str, float]
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...]
    """What rules that hold for every repository left out of cases; at most 200 lines of `left_out_number`."""
    left_out_number: int


class NotingWalk:
    """The walk of a corpus's folders that reads on where a file is left out, and remembers it.

    A run refuses what is a finding here; what is only told (names that are excluded, links) is left out of it too.
    """

    def __init__(self, root: Path) -> None:
        self.root, self.by_rule = root, list[str]()
        self._missing: dict[str, LeftOut] = {}

    def __call__(self, folder: Path) -> SourceTree:
        found = survey(folder)
        shown = folder.relative_to(self.root).as_posix()
        self._missing |= {f"{shown}/{each.path}": each for each in found.missing}
        self.by_rule += [f"{shown}/{each.path}: {each.reason}" for each in found.skipped if each.why in BY_RULE]
        return found.tree

    def findings(self, known: Iterable[Finding]) -> Iterator[Finding]:
        """A finding for each file that a run would miss, unless one names it already."""
        placed = {place for finding in known for place in finding.where}
        for path, each in self._missing.items():
            if path not in placed:
                detail = f"{path!r} is left out: {each.reason}"
                yield Finding(kind="left-out-file", case_ids=(path.split("/")[1],), detail=detail, where=(path,))


def lint_corpus(root: Path, home: Path | None, repeats: int, progress: "Progress") -> LintReport:
    """Read a corpus and run its tests `repeats` times (0: not at all).

    Raises Refusal for a corpus that cannot be read, SandboxTrouble where no sandbox holds.
    """
    walk = NotingWalk(root.resolve())
    corpus, findings = inspect(root.resolve(), walk)
    proofs = list(_proofs(corpus, home, repeats, progress)) if corpus and repeats else []
    findings = (*findings, *walk.findings(findings))
    found = in_order((*findings, *(finding for proof in proofs for finding in proof.findings)))
    return LintReport(
        corpus=corpus.name if corpus else root.resolve().name,
        version=corpus.version if corpus else "",
        cases={split: len(case_ids) for split, case_ids in corpus.splits.items()} if corpus else {},
        runs_per_case=repeats if proofs else 0,
        test_seconds={proof.case_id: round(proof.seconds, 2) for proof in proofs if proof.seconds is not None},
        findings=found,
        left_out=tuple(walk.by_rule[:MAX_TOLD]),
        left_out_number=len(walk.by_rule),
    )


def _proofs(corpus: Corpus, home: Path | None, repeats: int, progress: "Progress") -> "Iterator[Proof]":
    """Two cases at a time: more would measure the machine and not the tests."""
    from tasks.evidence.home import Home
    from tasks.trials.proofs import prove
    from tasks.workspace.environment import environments
    from tasks.workspace.grading import Bench
    from tasks.workspace.ladder import choose

    try:
        sandbox = choose()
    except SandboxUnavailable as unavailable:  # the corpus was asked about well; the machine cannot
        raise SandboxTrouble(f"{unavailable}; --no-run reads the corpus only") from unavailable
    installed = environments(Home.open(home).root, corpus.cases)

    def proof(case: Case) -> "Proof":
        return prove(case, corpus.seal(case.case_id), Bench(sandbox, installed[case.case_id]), repeats)

    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        for done, each in enumerate(pool.map(proof, corpus.cases), 1):
            progress("tests of cases", done, len(corpus.cases))
            yield each


def show_lint(report: LintReport, *, as_json: bool) -> None:
    """Exactly one JSON object, or a table and a line."""
    if as_json:
        sys.stdout.write(report.model_dump_json() + "\n")
        return
    console = Console(highlight=False)
    if report.findings:
        console.print(_table(report.findings))
    for line in _left_out(report):
        console.print(line, markup=False, soft_wrap=True)
    console.print(_summary(report), style="red" if report.findings else "green", markup=False, soft_wrap=True)


def _table(findings: tuple[Finding, ...]) -> Table:
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("kind", no_wrap=True)
    for name in ("cases", "detail", "where"):
        table.add_column(name, overflow="fold")
    for each in findings:
        words = (each.kind, "\n".join(each.case_ids), each.detail, "\n".join(each.where))
        table.add_row(*map(Text, words))
    return table


def _left_out(report: LintReport) -> Iterator[str]:
    if report.left_out:
        number = report.left_out_number
        yield f"left out of every tree ({number:,}):"
        yield from (f"  {line}" for line in report.left_out[:MAX_SHOWN])
        if number > MAX_SHOWN:
            yield f"  and {number - MAX_SHOWN:,} more"


def _summary(report: LintReport) -> str:
    cases = ", ".join(f"{number} {split}" for split, number in report.cases.items()) or "no case"
    number = len(report.findings)
    found = "nothing was found" if not number else f"{number} finding{'s' if number > 1 else ''}"
    ran = f"tests of {len(report.test_seconds)} cases ran {report.runs_per_case} times"
    told = ran if report.runs_per_case else "no tests were run"
    return f"{report.corpus} {report.version}".strip() + f" ({cases}): {found}; {told}"
