"""Connection: where experiments are tracked, and how a fresh store comes into being.

Takes    MLFLOW_TRACKING_URI when it is set, else an SQLite file in the state folder.
Gives    a URI whose store is initialised, and the id of a named experiment. The state folder's own file points to the
         artifacts beside it, also after the folder was moved or copied.
Refuses  (Stopped) a store that does not answer, in one line with the remedy and without credentials.
Source   measured with MLflow 3.17: concurrent first use of a fresh SQLite store corrupts it for good, and so
         may a kill during it; here the file is made aside, under a lock, and renamed.
"""

import logging
import os
import re
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tasks.evidence.files import locked
from tasks.evidence.home import Home, sqlite_uri
from tasks.evidence.relocation import BUSY_SECONDS, relocate
from tasks.records.errors import Stopped

if TYPE_CHECKING:
    from mlflow import MlflowClient

VARIABLE = "MLFLOW_TRACKING_URI"
# A caller's own choice stands. MLflow takes only "true"; its own patience with a dead server is minutes a call.
QUIET = {
    "DO_NOT_TRACK": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
}


def tracking_uri(home: Home) -> str:
    """The URI in force."""
    return os.environ.get(VARIABLE) or sqlite_uri(home.mlflow_db)


def prepare(home: Home) -> str:
    """The URI in force, its SQLite file initialised if it is one; to be called before a server starts on it, too."""
    _be_quiet()
    uri = tracking_uri(home)
    if uri.startswith("sqlite:///") and ":memory:" not in uri:
        path = Path(uri.removeprefix("sqlite:///").partition("?")[0])
        _initialise(path, home)
        _refuse_unwritable(path)
        if path.resolve() == home.mlflow_db:
            relocate(path, home.artifacts)
    return uri


def connect(home: Home, experiment: str) -> tuple["MlflowClient", str]:
    """A client with explicit URIs and the experiment's id. Raises Stopped."""
    try:
        uri = prepare(home)
        from mlflow import MlflowClient

        client = MlflowClient(tracking_uri=uri, registry_uri=uri)
        return client, _experiment_id(client, experiment, None if uri.startswith("http") else home.artifacts.as_uri())
    except Stopped:
        raise
    except Exception as error:
        raise Stopped(_unusable(tracking_uri(home), one_line(error))) from error


def one_line(error: BaseException, max_chars: int = 200) -> str:
    """An error's type and text on one line, without credentials of URLs."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return without_credentials(text if len(text) <= max_chars else f"{text[:max_chars]}...")


def _experiment_id(client: "MlflowClient", name: str, artifacts: str | None) -> str:
    from mlflow.exceptions import MlflowException

    known = client.get_experiment_by_name(name)
    if known is None:
        try:
            return str(client.create_experiment(name, artifact_location=artifacts))
        except MlflowException:  # another process was first
            known = client.get_experiment_by_name(name)
            if known is None:
                raise
    if known.lifecycle_stage != "active":
        raise Stopped(f"experiment {name!r} is deleted; `mlflow experiments restore -x {known.experiment_id}` first")
    return str(known.experiment_id)


def _initialise(path: Path, home: Home) -> None:
    if _begun(path):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f"{path.name}.lock")):
        if not _begun(path):
            _make_database(path, home)


def _begun(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _make_database(path: Path, home: Home) -> None:
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    fresh = path.with_name(f"{path.name}.new")  # the lock is held: a file of that name is left of a killed process
    fresh.unlink(missing_ok=True)
    store = SqlAlchemyStore(sqlite_uri(fresh), home.artifacts.as_uri())
    store.engine.dispose()
    fresh.replace(path)


def _refuse_unwritable(path: Path) -> None:
    """Ask SQLite itself: MLflow would try a file that cannot be opened again and again, for longer each time."""
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.rollback()


def _be_quiet() -> None:
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    logging.getLogger("alembic").setLevel(logging.ERROR)
    with warnings.catch_warnings(action="ignore"):  # mlflow 3.17 under SQLAlchemy 2.1 is full of deprecations
        import mlflow.store.tracking.sqlalchemy_store  # noqa: F401

    if "MLFLOW_LOGGING_LEVEL" not in os.environ:
        logging.getLogger("mlflow").setLevel(logging.CRITICAL)  # it logs a traceback for what we report in one line


def _unusable(uri: str, reason: str) -> str:
    remedy = f"start that server, or unset {VARIABLE}" if os.environ.get(VARIABLE) else "free that file or move it away"
    return f"MLflow at {without_credentials(uri)!r} cannot be used: {reason}; {remedy} and run the same again"


def without_credentials(text: str) -> str:
    """The text with the credentials of every URL in it left out."""
    return re.sub(r"(?<=://)[^/@\s]+@", "", text)
