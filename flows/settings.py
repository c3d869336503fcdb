"""Embedded defaults for Prefect and MLflow; what a person has set in the environment always wins.

Call `embed` before the first import of either: both read their environment while they load.
"""

import logging
import os

from tasks.evidence.home import Home

FIXED = {
    "DO_NOT_TRACK": "true",  # MLflow accepts no other spelling
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else a nine-second retry where there is no network
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    "PREFECT_CLIENT_MAX_RETRIES": "2",  # a server that is gone stays gone; the default waits half a minute a request
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",  # the API handler keeps them; people get one line of ours
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "180",
    "PREFECT_SERVER_LOGGING_LEVEL": "ERROR",
}


def embed(home: Home) -> None:
    """Point Prefect's state into the state folder and quieten both libraries."""
    for name, value in {**FIXED, "PREFECT_HOME": str(home.prefect)}.items():
        os.environ.setdefault(name, value)
    logging.raiseExceptions = False  # or Prefect prints, past every handler, each log that its server did not take
