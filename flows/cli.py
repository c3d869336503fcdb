"""The console command `proveout`.

Exit status  0 a verdict was reached (with --gate: 0 PROMOTE, 3 REJECT, 4 INSUFFICIENT); 2 refused input; 5 stopped
             without a verdict, and the same command goes on (130 after Ctrl-C); 1 our own fault.
"""

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tasks.records.errors import ProveoutError

if TYPE_CHECKING:
    from flows.outcome import Outcome

GATED = {"PROMOTE": 0, "REJECT": 3, "INSUFFICIENT": 4}
INTERRUPTED = 130

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


@app.command()
def run(
    spec: SpecPath,
    *,
    home: HomePath = None,
    as_json: Annotated[bool, typer.Option("--json", help="Put exactly one JSON object on stdout.")] = False,
    gate: Annotated[bool, typer.Option("--gate", help="Exit 0 for PROMOTE, 3 for REJECT, 4 for INSUFFICIENT.")] = False,
) -> None:
    """Run one experiment: freeze, control, baseline, optimize, audit, holdout, recommend."""
    from flows.console import show_outcome

    outcome = run_experiment(spec, home, quiet=as_json)
    if as_json:
        sys.stdout.write(outcome.model_dump_json() + "\n")
    else:
        show_outcome(outcome)
    raise typer.Exit(GATED[outcome.verdict] if gate else 0)


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


def run_experiment(spec: Path, home: Path | None, *, quiet: bool) -> "Outcome":
    """Everything that a run needs around the flow: state folder, servers, progress, and what each of them took."""
    from flows.console import progress_shown
    from flows.opening import dry_freeze
    from flows.servers import prefect_api
    from flows.settings import embed
    from tasks.evidence.home import Home

    started = time.monotonic()
    dry_freeze(spec)  # what will be refused is refused before a server is started for it
    house = Home.open(home)
    embed(house)
    seconds: dict[str, float] = {"reading": _since(started)}
    with prefect_api(house) as server, progress_shown(quiet=quiet) as progress:
        started = time.monotonic()
        from flows.experiment import PROGRESS, experiment

        seconds["imports"] = _since(started)
        started = time.monotonic()
        if server:
            server.wait_until_ready()
        seconds["prefect"] = _since(started)
        PROGRESS.set(progress)
        outcome: Outcome = experiment(str(spec), str(house.root))
    return outcome.model_copy(update={"seconds": seconds | outcome.seconds})


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)


@contextmanager
def one_line() -> Iterator[None]:
    """Whatever is refused or stopped becomes one line on stderr and its exit status; never a traceback."""
    try:
        yield
    except ProveoutError as error:
        sys.stderr.write(f"proveout: {' '.join(str(error).split())}\n")
        raise SystemExit(error.exit_status) from error
    except KeyboardInterrupt as interrupt:
        sys.stderr.write("proveout: interrupted; the same command goes on from here\n")
        raise SystemExit(INTERRUPTED) from interrupt
    except BrokenPipeError as gone:  # the reader of stdout has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from gone
    except Exception as fault:  # whatever it is, it is ours
        log = keep_traceback()
        sys.stderr.write(f"proveout: our fault: {type(fault).__name__}: {_first_line(fault)}; traceback in {log}\n")
        raise SystemExit(1) from fault


def _first_line(fault: Exception) -> str:
    lines = str(fault).strip().splitlines()
    return lines[0][:300] if lines else "no message"


def keep_traceback() -> str:
    """The present traceback in a file of its own, for a report."""
    with tempfile.NamedTemporaryFile("w", prefix="proveout-fault-", suffix=".txt", delete=False) as file:
        traceback.print_exc(file=file)
    return file.name


def main(arguments: list[str] | None = None) -> Any:
    """The entry point of the console command."""
    with one_line():
        command: Callable[..., Any] = app
        return command(args=arguments)


if __name__ == "__main__":
    main()
