"""The console command `proveout`.

Exit status  0 a verdict was reached (with --gate: 0 PROMOTE, 3 REJECT, 4 INSUFFICIENT); 2 refused input, and
             `lint` with findings; 5 stopped without a verdict, and the same command goes on (130 after Ctrl-C); 6
             stopped after the baseline, because the design cannot detect the effect that it declares (--anyway goes
             on); 1 our own fault.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.faults import one_line

GATED = {"PROMOTE": 0, "REJECT": 3, "INSUFFICIENT": 4}

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Improve language-model programs under evidence.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
SpecPath = Annotated[Path, typer.Argument(help="An experiment spec, such as manifests/pilot.toml.")]
HomePath = Annotated[
    Path | None, typer.Option("--home", help="The state folder (default: $PROVEOUT_HOME, else .proveout).")
]
Model = Annotated[
    str, typer.Option("--lm", help="A model in place of the spec's, such as openai/name@http://host:8000/v1.")
]
ReflectionModel = Annotated[str, typer.Option("--reflection-lm", help="A model that rewrites instructions, likewise.")]
AsJSON = Annotated[bool, typer.Option("--json", help="Put exactly one JSON object on stdout.")]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Go on where the design cannot detect its declared effect; stamped.")
]
Gate = Annotated[bool, typer.Option("--gate", help="Exit 0 for PROMOTE, 3 for REJECT, 4 for INSUFFICIENT.")]


@app.command()
def run(
    spec: SpecPath,
    *,
    lm: Model = "",
    reflection_lm: ReflectionModel = "",
    home: HomePath = None,
    as_json: AsJSON = False,
    gate: Gate = False,
    anyway: Anyway = False,
) -> None:
    """Run one experiment: freeze, control, baseline, optimize, audit, holdout, recommend."""
    from flows.console import show_outcome
    from flows.launch import run_experiment

    models = {role: model for role, model in (("lm", lm), ("reflection_lm", reflection_lm)) if model}
    outcome = run_experiment(spec, home, models, quiet=as_json, anyway=anyway)
    if as_json:
        sys.stdout.write(outcome.model_dump_json() + "\n")
    else:
        show_outcome(outcome)
    raise typer.Exit(GATED[outcome.verdict] if gate else 0)


@app.command()
def runs(*, home: HomePath = None, as_json: AsJSON = False) -> None:
    """List the runs of a state folder, newest first."""
    from flows.console import show_runs
    from tasks.evidence.home import Home
    from tasks.evidence.journal import Journal

    show_runs(Journal(Home.found(home)).entries(), as_json=as_json)


@app.command()
def show(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The beginning of a run id or of a fingerprint.")] = "",
    *,
    home: HomePath = None,
    as_json: AsJSON = False,
) -> None:
    """Show one run: verdict, reasons, scores, fingerprints. Without RUN, the newest."""
    from flows.console import show_entry
    from tasks.evidence.home import Home
    from tasks.evidence.journal import Journal

    show_entry(Journal(Home.found(home)).find(run_id), as_json=as_json)


@app.command()
def attack(
    *,
    suite: Annotated[str, typer.Option("--suite", help="What to attack: grading, sandbox or boundary.")],
    tier: Annotated[str, typer.Option("--tier", help="Only this tier (default: every one that holds here).")] = "",
    gradings: Annotated[int, typer.Option("--gradings", min=0, help="Grade the true fix so many times a tier.")] = 0,
    kill_matrix: Annotated[bool, typer.Option("--kill-matrix", help="Take out each defence, too.")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Attack runs that are forked by the fork server.")] = False,
    home: HomePath = None,
    as_json: AsJSON = False,
) -> None:
    """Attack the sandbox, the grading or the tool boundary; 1 if something got through, 5 without a sandbox."""
    from flows.attacking import attack as attacked
    from flows.attacking import show_attacks
    from flows.console import progress_shown

    with progress_shown(quiet=as_json) as progress:
        report = attacked(suite, tier, home, gradings, matrix=kill_matrix, progress=progress, warm=warm)
    show_attacks(report, as_json=as_json)
    raise typer.Exit(1 if report.troubles else 0)


@app.command()
def lint(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The folder of a corpus, such as datasets/pilot.")],
    *,
    no_run: Annotated[bool, typer.Option("--no-run", help="Read only: no test is run for flakes or slowness.")] = False,
    repeats: Annotated[int, typer.Option("--repeats", min=2, help="Run the tests of each case so many times.")] = 3,
    home: HomePath = None,
    as_json: AsJSON = False,
) -> None:
    """Look for leaks, duplicates, flakes and gaps in a corpus; 2 if there are findings, 5 without a sandbox."""
    from flows.console import progress_shown
    from flows.linting import lint_corpus, show_lint

    with progress_shown(quiet=as_json) as progress:
        report = lint_corpus(corpus, home, 0 if no_run else repeats, progress)
    show_lint(report, as_json=as_json)
    raise typer.Exit(2 if report.findings else 0)


@app.command()
def serve(
    spec: SpecPath,
    *,
    cron: Annotated[str, typer.Option("--cron", help='When to run, such as "0 3 * * *".')],
    home: HomePath = None,
) -> None:
    """Schedule the same experiment with Prefect, and serve it until Ctrl-C."""
    from flows.schedules import serve_experiment

    serve_experiment(spec, cron, home)


def main() -> None:
    """The entry point of the console command."""
    with one_line():
        raise SystemExit(app(standalone_mode=False) or 0)


if __name__ == "__main__":
    main()
