"""The attack suites from the command line: which tiers hold here, what got through, and what a person sees of it."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from tasks.records.errors import Refusal, SandboxTrouble, SandboxUnavailable

if TYPE_CHECKING:
    from tasks.attacks.grading_suite import Progress
    from tasks.attacks.rows import Row, SuiteReport
    from tasks.attacks.sandbox_suite import Seen
    from tasks.workspace.bubblewrap import Bubblewrap
    from tasks.workspace.sandbox import Sandbox

SUITES = ("grading", "sandbox", "boundary")
STYLES = {"blocked": "green", "fooled": "red", "leaked": "red", "unexercised": "yellow"}
PROOFS = {"proved": "green", "redundant": "cyan", "no wall": "dim", "not shown here": "yellow", "not proved": "red"}


def attack(
    suite: str, tier: str, home: Path | None, gradings: int, *, matrix: bool, progress: "Progress", warm: bool = False
) -> "SuiteReport":
    """Run one suite; `warm` on the fork server. Raises Refusal for an unknown suite or tier, SandboxTrouble where no
    sandbox holds.
    """
    if suite not in SUITES:
        raise Refusal(f"suite {suite!r}: expected one of {', '.join(SUITES)}")
    if suite == "boundary":
        return _boundary(tier, matrix=matrix, progress=progress, warm=warm)
    try:
        if suite == "grading":
            return _grading(tier, home, gradings, matrix=matrix, progress=progress, warm=warm)
        return _forked(tier, home, matrix=matrix, progress=progress) if warm else _sandbox(tier, matrix, progress)
    except SandboxUnavailable as unavailable:  # the suite was asked well; the machine cannot
        raise SandboxTrouble(str(unavailable)) from unavailable


def _grading(
    tier: str, home: Path | None, gradings: int, *, matrix: bool, progress: "Progress", warm: bool
) -> "SuiteReport":
    from tasks.attacks import grading_matrix, grading_suite
    from tasks.attacks.judges import TIERS, Ground
    from tasks.evidence.home import Home
    from tasks.workspace.environment import prepare

    tiers = tuple(name for name in TIERS if tier in ("", name))
    if not tiers:
        raise Refusal(f"grading tier {tier!r}: expected one of {', '.join(TIERS)}")
    if matrix and warm:
        raise Refusal(
            "--kill-matrix with --warm: the matrix takes the walls of cold runs apart, expected one of the two"
        )
    with _started(warm=warm) as sandbox:
        ground = Ground(sandbox, prepare(Home.open(home).root))
        report = grading_suite.run(ground, tiers=tiers, gradings=gradings, progress=progress)
        killed = grading_matrix.run(ground, tiers, progress) if matrix else []
    return report.model_copy(update={"matrix": tuple(killed)})


def _boundary(tier: str, *, matrix: bool, progress: "Progress", warm: bool) -> "SuiteReport":
    """The tools and the walk; no sandbox, for nothing of a repository runs. A tier is the way that an attack takes."""
    from tasks.attacks.boundary.product import Product
    from tasks.attacks.boundary.suite import CARRIERS, report

    if tier not in ("", *CARRIERS):
        raise Refusal(f"boundary tier {tier!r}: expected one of {', '.join(CARRIERS)}")
    if matrix or warm:
        raise Refusal("--suite boundary: it has no kill matrix and forks nothing, expected neither of the two options")
    return report(Product, tier, progress)


@contextmanager
def _started(*, warm: bool) -> "Iterator[Sandbox]":
    """The strongest sandbox that holds here, or a fork server in front of it."""
    from tasks.workspace.forkserver import RUNNER, ForkServer
    from tasks.workspace.ladder import choose
    from tasks.workspace.separate.placed import scripts

    if not warm:
        yield choose()
        return
    with ForkServer(_bubblewrap(), (RUNNER, *scripts())) as server:
        yield server


def _bubblewrap() -> "Bubblewrap":
    """The tier that can be forked in. Raises SandboxUnavailable."""
    from tasks.workspace.bubblewrap import Bubblewrap
    from tasks.workspace.ladder import choose

    cold = choose(tier="bubblewrap")
    if not isinstance(cold, Bubblewrap):
        raise SandboxUnavailable("the fork server needs bubblewrap")
    return cold


def _forked(tier: str, home: Path | None, *, matrix: bool, progress: "Progress") -> "SuiteReport":
    """The sandbox suite against the walls of forked runs."""
    from tasks.attacks import sandbox_suite
    from tasks.attacks.forked import Forked
    from tasks.evidence.home import Home
    from tasks.workspace.environment import prepare
    from tasks.workspace.ladder import choose

    if tier not in ("", "bubblewrap"):
        raise Refusal(f"sandbox tier {tier!r} --warm: expected bubblewrap, in which runs are forked")
    if matrix:
        raise Refusal(
            "--kill-matrix with --warm: the matrix takes the walls of cold runs apart, expected one of the two"
        )
    control = choose(allow_unsafe=True, tier="none")
    with Forked(_bubblewrap(), prepare(Home.open(home).root)) as forked:
        return sandbox_suite.run([forked], control, progress=progress, start="forked")


def _sandbox(tier: str, matrix: bool, progress: "Progress") -> "SuiteReport":
    from tasks.attacks import sandbox_matrix, sandbox_suite
    from tasks.workspace.ladder import TIERS, choose

    wanted = (*TIERS, "none")
    if tier and tier not in wanted:
        raise Refusal(f"sandbox tier {tier!r}: expected one of {', '.join(wanted)}")
    sandboxes, unavailable = _holding([tier] if tier else wanted)
    control = choose(allow_unsafe=True, tier="none")
    report = sandbox_suite.run(sandboxes, control, progress=progress)
    full = _seen(report.rows)
    attacked = [name for name in full if name in TIERS]
    killed = sandbox_matrix.run(attacked, full, progress) if matrix else []
    return report.model_copy(update={"matrix": tuple(killed), "unavailable": unavailable})


def _holding(tiers: Sequence[str]) -> "tuple[list[Sandbox], dict[str, str]]":
    """The tiers that hold here, and why the others do not. Raises SandboxUnavailable if none does."""
    from tasks.workspace.ladder import choose

    found: list[Sandbox] = []
    troubles: dict[str, str] = {}
    for name in tiers:
        try:
            found.append(choose(tier=name, allow_unsafe=name == "none"))  # type: ignore[arg-type]
        except SandboxUnavailable as unavailable:
            troubles[name] = str(unavailable)
    if troubles and not [sandbox for sandbox in found if sandbox.tier != "none"]:
        raise SandboxUnavailable("; ".join(troubles.values()))
    return found, troubles


def _seen(rows: "Sequence[Row]") -> "dict[str, dict[str, Seen]]":
    found: dict[str, dict[str, Seen]] = {}
    for row in rows:
        found.setdefault(row.tier, {})[row.attack] = (row.observed, row.note)
    return found


def show_attacks(report: "SuiteReport", *, as_json: bool) -> None:
    """Exactly one JSON object, or tables."""
    if as_json:
        sys.stdout.write(_json(report) + "\n")
        return
    console = Console(highlight=False)
    _show_rows(console, report)
    _show_matrix(console, report)
    _show_summary(console, report)


def _json(report: "SuiteReport") -> str:
    import json

    summary = {tier: _summary(report, tier) for tier in report.tiers}
    rows = [_row(row) for row in report.rows]
    return json.dumps({**report.body(), "rows": rows, "summary": summary, "troubles": list(report.troubles)})


def _row(row: "Row") -> dict[str, object]:
    """As the record has it, with what to make of it; in the grading suite an attack is called a cheat."""
    body = {**row.body(), "status": row.status}
    return {"cheat": body.pop("attack"), **body} if row.suite == "grading" else body


def _summary(report: "SuiteReport", tier: str) -> dict[str, object]:
    """What became of the attacks on one tier, how long they took, and how often the true fix was accepted."""
    found: dict[str, object] = {"start": report.start, **_counts(report, tier)}
    found |= {name: values[tier] for name, values in _measured(report).items() if tier in values}
    for one in report.acceptances:
        if one.tier == tier:
            found["true_fix"] = f"accepted {one.accepted} of {one.gradings}"
    return found


def _measured(report: "SuiteReport") -> dict[str, dict[str, float]]:
    return {"bits": report.bits, "seconds": report.seconds}


def _counts(report: "SuiteReport", tier: str) -> dict[str, int]:
    rows = [row for row in report.rows if row.tier == tier]
    known = sum(row.observed in {"fooled", "leaked"} and not row.red for row in rows)
    counts = {word: sum(row.observed == word for row in rows) for word in STYLES}
    return {"attacks": len(rows), **counts, "known_gaps": known, "red": sum(row.red for row in rows)}


def _show_rows(console: Console, report: "SuiteReport") -> None:
    """One line a row; the reasons in full are in the JSON."""
    table = Table(box=None, pad_edge=False)
    for name in ("tier", "attack", "observed"):
        table.add_column(name, no_wrap=True)
    table.add_column("note", no_wrap=True, overflow="ellipsis")
    for row in report.rows:
        known = " (known)" if row.observed in {"fooled", "leaked"} and not row.red else ""
        observed = f"[{STYLES[row.observed] if not known else 'yellow'}]{row.observed}{known}[/]"
        table.add_row(row.tier, _plain(row.attack), observed, _plain(row.note))
    console.print(table)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _show_matrix(console: Console, report: "SuiteReport") -> None:
    if not report.matrix:
        return
    table = Table(box=None, pad_edge=False)
    for name in ("defence taken out", "proof", "rows that turned red", "redundant with", "note"):
        table.add_column(name, overflow="fold")
    for one in report.matrix:
        words = (", ".join(one.rows), ", ".join(one.redundant_with), one.note)
        table.add_row(_plain(one.defence), f"[{PROOFS[one.proof]}]{one.proof}[/]", *map(_plain, words))
    console.print()
    console.print(table)


def _show_summary(console: Console, report: "SuiteReport") -> None:
    console.print()
    for tier in report.tiers:
        counts = ", ".join(f"{number} {word.replace('_', ' ')}" for word, number in _counts(report, tier).items())
        measured = "".join(
            f", {values[tier]:.1f} {name}" for name, values in _measured(report).items() if tier in values
        )
        forked = " (forked)" if report.start == "forked" else ""
        console.print(f"{tier}{forked}: {counts}{measured}", soft_wrap=True)
    for one in report.acceptances:
        console.print(f"{one.tier}: the true fix was accepted in {one.accepted} of {one.gradings} gradings")
    for name, why in report.unavailable.items():
        console.print(f"{name}: not available: {why}", markup=False, soft_wrap=True)
    for trouble in report.troubles:
        console.print(trouble, style="red", markup=False, soft_wrap=True)
    if not report.troubles:
        console.print("nothing got through where it must not", style="green")
