"""What a person sees: progress on stderr while a run goes on, the verdict on stdout when it is there."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

if TYPE_CHECKING:
    from flows.outcome import Outcome
    from tasks.evidence.journal import Entry
    from tasks.trials.laboratory import Progress as Report

STYLES = {"PROMOTE": "bold green", "REJECT": "bold red", "INSUFFICIENT": "bold yellow"}


@contextmanager
def progress_shown(*, quiet: bool) -> Iterator["Report"]:
    """Bars with an estimate of the remaining time, one for each thing counted; plain lines without a terminal."""
    console = Console(stderr=True, quiet=quiet)
    columns = (
        TextColumn("{task.description:<22}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bars:
        known: dict[str, int] = {}

        def report(what: str, done: int, of: int) -> None:
            if what not in known:
                known[what] = bars.add_task(what, total=of)
                if bars.disable:
                    console.print(f"{what} ...", highlight=False)
            bars.update(known[what], completed=done, total=of)  # type: ignore[arg-type]

        yield report


def show_outcome(outcome: "Outcome") -> None:
    """Verdict, reasons, scores, difference, fingerprints and where to look."""
    console = Console(highlight=False)
    console.print(_scores(outcome))
    console.soft_wrap = True
    if outcome.delta:
        found = outcome.delta.interval
        console.print(
            f"difference on the holdout {found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}] at {found.level:.1%}, "
            f"sign-flip p {outcome.delta.p_sign_flip:.4f}"
        )
    console.print(f"\nverdict: [{STYLES[outcome.verdict]}]{outcome.verdict}[/]  ({outcome.evidence_class} evidence)")
    for reason in outcome.reasons:
        console.print(f"  - {reason}", markup=False)
    for remedy in outcome.would_change:
        console.print(f"  would change it: {remedy}", markup=False)
    prints = outcome.fingerprints
    console.print(f"\nmanifest  {prints.manifest}\ncandidate {prints.candidate}\ndecision  {prints.decision}")
    calls, reused = outcome.lm_calls, len(outcome.stages_reused)
    console.print(f"LM calls  {calls.bought} bought, {calls.reused} reused; stages reused: {reused} of 7")
    for reason in outcome.stages_computed.values():
        if "differs" in reason:
            console.print(f"computed  {reason}", markup=False)
    console.print(f"mlflow    run {outcome.mlflow_run_id}\nprefect   flow run {outcome.flow_run_id}")
    for trouble in outcome.troubles:
        console.print(trouble, markup=False)


def _scores(outcome: "Outcome") -> Table:
    table = Table(box=None, pad_edge=False)
    columns = [(arm, split) for arm, splits in outcome.scores.items() for split in splits]
    table.add_column("component", no_wrap=True)
    for arm, split in columns:
        table.add_column(f"{arm}\n{split}", justify="right", no_wrap=True)
    names = dict.fromkeys(name for arm, split in columns for name in outcome.scores[arm][split])
    for name in names:
        values = (outcome.scores[arm][split].get(name) for arm, split in columns)
        table.add_row(name, *("" if value is None else f"{value:.3f}" for value in values))
    return table


def show_runs(entries: "list[Entry]", *, as_json: bool) -> None:
    """One row a run."""
    if as_json:
        sys.stdout.write(json.dumps([entry.body() for entry in entries]) + "\n")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("run", "experiment", "started", "state", "verdict", "manifest"):
        table.add_column(name, no_wrap=True)
    for entry in entries:
        verdict = str((entry.outcome or {}).get("verdict", ""))
        table.add_row(entry.run_id[:8], entry.name, entry.started[:19], standing(entry), verdict, entry.manifest[:12])
    Console(highlight=False).print(table if entries else "no runs yet")


def show_entry(entry: "Entry", *, as_json: bool) -> None:
    """A finished run's outcome; of another, what it said last."""
    if as_json:
        sys.stdout.write(json.dumps(entry.body()) + "\n")
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"run {entry.run_id}: {entry.name}, started {entry.started}, {standing(entry)}")
    if entry.outcome:
        from flows.outcome import Outcome

        show_outcome(Outcome.model_validate(entry.outcome))
    else:
        console.print(entry.said or f"the same command goes on from here: proveout run {entry.spec}", markup=False)


def standing(entry: "Entry") -> str:
    """The state; a run whose process is gone has crashed, whoever wrote that down."""
    from tasks.evidence.orphans import is_dead

    return "crashed" if entry.state == "running" and is_dead(entry.process) else entry.state
