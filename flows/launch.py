"""Everything that a run needs around the flow: state folder, server, progress, and what each of them took."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from flows.console import progress_shown
from flows.opening import answering, dry_freeze
from flows.servers import prefect_api
from flows.settings import embed
from tasks.evidence.home import Home

if TYPE_CHECKING:
    from flows.outcome import Outcome


def run_experiment(
    spec: Path, home: Path | None, models: Mapping[str, str], *, quiet: bool, anyway: bool = False
) -> "Outcome":
    """Run the flow once. Prefect loads in here and not before: it reads its settings while it loads."""
    started = time.monotonic()
    manifest = dry_freeze(spec, models)  # what will be refused is refused before a server is started for it
    house = Home.open(home)
    embed(house)
    answering(manifest, house)
    seconds: dict[str, float] = {"reading": since(started)}
    with prefect_api(house) as server, progress_shown(quiet=quiet) as progress:
        started = time.monotonic()
        from flows.experiment import PROGRESS, experiment

        seconds["imports"] = since(started)
        started = time.monotonic()
        if server:
            server.wait_until_ready()
        seconds["prefect"] = since(started)
        PROGRESS.set(progress)
        outcome: Outcome = experiment(str(spec), str(house.root), dict(models), anyway=anyway)
    return outcome.model_copy(update={"seconds": seconds | outcome.seconds})


def since(started: float) -> float:
    """Seconds since a reading of the monotonic clock, in milliseconds' precision."""
    return round(time.monotonic() - started, 3)
