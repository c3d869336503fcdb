"""Databases of the state folder: whether this version of proveout can read them.

Takes    a SQLite database and the version of its tables that the caller writes (PRAGMA user_version).
Refuses  tables that another version wrote (Refusal, naming both); a file that is no database (Damaged).
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from tasks.records.errors import Damaged, Refusal


def refuse_other_version(path: Path, expected: int) -> None:
    """The same for a file; one that does not exist yet is of any version."""
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=30)) as database:
            refuse_other_tables(database, path, expected)
    except sqlite3.DatabaseError as error:
        raise Damaged(
            f"{str(path)!r} cannot be read: {error}; restore it from a copy, or use another --home"
        ) from error


def refuse_other_tables(database: sqlite3.Connection, path: Path, expected: int) -> None:
    """A database that has no tables yet is of any version."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and found != expected:
        raise Refusal(f"{str(path)!r} has tables of version {found}, expected {expected}; use another --home")
