"""Relocation: a state folder that was moved or copied keeps its artifacts inside itself.

Takes    the state folder's own MLflow file, and the folder that its artifacts lie in now.
Gives    a file whose experiments and runs point there, when it was made for another folder; else it is left alone.
Refuses  nothing, and moves no file. A run whose artifacts stayed behind goes on pointing to them.
Source   measured with MLflow 3.17: every place is an absolute URI in the database, so that a copied folder wrote into
         the one it was copied from. Experiment 0 is made with the file and tells which folder that was.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from tasks.evidence.files import locked

BUSY_SECONDS = 20.0
_DEFAULT = "/0"
_PLACES = (
    ("experiments", "artifact_location"),
    ("runs", "artifact_uri"),
    ("logged_models", "artifact_location"),
    ("model_versions", "storage_location"),
)


def relocate(database: Path, artifacts: Path) -> None:
    """Rewrite the places below the former artifact folder, in one transaction and under the lock of `database`."""
    here = artifacts.as_uri()
    with closing(sqlite3.connect(database, timeout=BUSY_SECONDS)) as connection:
        if _former(connection) in {"", here}:
            return
    lock = database.with_name(f"{database.name}.lock")
    with locked(lock), closing(sqlite3.connect(database, timeout=BUSY_SECONDS)) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        former = _former(connection)
        if former not in {"", here}:
            for table, column in _PLACES:
                _rewrite(connection, table, column, (former, here))


def _former(connection: sqlite3.Connection) -> str:
    """The artifact folder that this file was made for, as a URI; empty when it is not one of ours."""
    row = connection.execute("SELECT artifact_location FROM experiments WHERE experiment_id = 0").fetchone()
    place = str(row[0]) if row else ""
    ours = place.startswith("file:///") and place.endswith(f"/artifacts{_DEFAULT}")
    return place.removesuffix(_DEFAULT) if ours else ""


def _rewrite(connection: sqlite3.Connection, table: str, column: str, places: tuple[str, str]) -> None:
    former, here = places
    rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()  # noqa: S608 - names from above
    below = [(row, str(uri)) for row, uri in rows if uri == former or str(uri).startswith(f"{former}/")]
    moved = [(here + uri.removeprefix(former), row, uri) for row, uri in below]
    connection.executemany(
        f"UPDATE {table} SET {column} = ? WHERE rowid = ?",  # noqa: S608
        [(new, row) for new, row, old in moved if table == "experiments" or _came_along(old, new)],
    )


def _came_along(old: str, new: str) -> bool:
    return _path(new).exists() or not _path(old).exists()


def _path(uri: str) -> Path:
    return Path(url2pathname(urlsplit(uri).path))
