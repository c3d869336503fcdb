"""Schedules: the same flow as a Prefect deployment, served from this process."""

import os
from pathlib import Path

from flows.servers import prefect_api
from flows.settings import embed
from tasks.evidence.home import Home
from tasks.freeze import read_spec
from tasks.records.errors import Refusal


def serve_experiment(spec: Path, cron: str, home: Path | None) -> None:
    """Serve a deployment named after the spec until it is interrupted; at most one of its runs at a time.

    The server is the one that PREFECT_API_URL names, else an embedded one that lives as long as this process.
    """
    name = read_spec(spec).name
    house = Home.open(home)
    embed(house)
    with prefect_api(house) as server:
        from prefect.schedules import Cron

        from flows.experiment import experiment

        try:
            schedule = Cron(cron)
        except ValueError as error:
            raise Refusal(f"--cron {cron!r} is no cron line; expected five fields, such as '0 3 * * *'") from error
        if server:
            server.wait_until_ready()
        os.environ.setdefault("PREFECT_RUNNER_PROCESS_LIMIT", "1")
        experiment.serve(
            name=name,
            schedule=schedule,
            parameters={"spec": str(spec.resolve()), "home": str(house.root)},
            limit=1,
            global_limit=1,
            print_starting_message=True,
        )
