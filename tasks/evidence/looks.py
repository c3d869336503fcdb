"""Looks: how often a sealed holdout has been looked at, across every run of a state folder.

Takes    the content of the holdout's cases, the manifest and the candidate that ask for a look, and how many looks the
         corpus declares.
Gives    a numbered Look. The same holdout, manifest and candidate again is the same look, so that a run can resume.
Refuses  (LookRefused) a look beyond the declared number, counted over every holdout that shares a case with this one;
         a look that would spend more than the whole alpha because looks were declared anew after the first one.
Source   DESIGN.md, "Statistics and policy": L looks are declared and each is tested at alpha/L.
Covered      renamed cases and groups, holdouts that overlap, concurrent runs, a run that was killed and resumed.
Not covered  a case whose text was edited (its content is new); a deleted ledger; another state folder.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from tasks.evidence.databases import refuse_other_tables
from tasks.evidence.files import locked
from tasks.records.case import Case, Sealed
from tasks.records.errors import Damaged, LookRefused, Refusal, Stopped
from tasks.records.fingerprint import fingerprint
from tasks.records.verdict import Look

BUSY_SECONDS = 30.0
VERSION = 1
_SCHEMA = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE IF NOT EXISTS look (
    id INTEGER PRIMARY KEY, holdout TEXT NOT NULL, manifest TEXT NOT NULL, candidate TEXT NOT NULL,
    number INTEGER NOT NULL, looks_allowed INTEGER NOT NULL, taken_at TEXT NOT NULL,
    UNIQUE (holdout, manifest, candidate));
CREATE TABLE IF NOT EXISTS look_case (
    look INTEGER NOT NULL REFERENCES look (id), content TEXT NOT NULL, PRIMARY KEY (content, look)) WITHOUT ROWID;
"""
_OVERLAPPING = """
SELECT holdout, manifest, candidate, number, looks_allowed FROM look
WHERE id IN (SELECT look FROM look_case WHERE content IN (SELECT value FROM json_each(?))) ORDER BY id
"""


def case_content(case: Case, sealed: Sealed) -> str:
    """What a look at a case reveals, whatever the case is called: its code, its tests and its control patch."""
    return fingerprint(
        {
            "repo": case.repo.fingerprint,
            "tests": sealed.tests.fingerprint,
            "nodes": sealed.nodes.body(),
            "control": [edit.body() for edit in sealed.control.edits],
        }
    )


def holdout_fingerprint(contents: Sequence[str]) -> str:
    """The name of a holdout: the hash of its distinct case contents, in sorted order."""
    return fingerprint(sorted(set(contents)))


class LookLedger:
    """The ledger in one SQLite file; every method is atomic among threads and processes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with locked(path.with_name(f"{path.name}.lock")), self._connected() as connection:
            refuse_other_tables(connection, path, VERSION)
            connection.execute("PRAGMA journal_mode = WAL")  # not under the busy timeout, hence the lock
            connection.executescript(_SCHEMA)

    def take(self, contents: Sequence[str], manifest: str, candidate: str, looks_allowed: int) -> Look:
        """Take a look, or the one already taken. Raises LookRefused in one line; a refused look is not recorded."""
        if not contents:
            raise Refusal("a look needs a holdout with at least one case, got none")
        holdout = holdout_fingerprint(contents)
        with self._connected() as connection, _immediate(connection):
            earlier = _overlapping(connection, contents)
            for look, _ in earlier:
                if (look.holdout, look.manifest, look.candidate) == (holdout, manifest, candidate):
                    return look
            look = Look(holdout=holdout, manifest=manifest, candidate=candidate, number=len(earlier) + 1)
            _refuse_overspending(look, earlier, looks_allowed)
            _record(connection, look, contents, looks_allowed)
        return look

    def looks_used(self, contents: Sequence[str]) -> tuple[Look, ...]:
        """Every look at a holdout that shares a case with this one, in the order in which they were taken."""
        with self._connected() as connection:
            return tuple(look for look, _ in _overlapping(connection, contents))

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        connection = None
        try:
            connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
            connection.execute("PRAGMA synchronous = FULL")
            yield connection
        except sqlite3.OperationalError as error:
            raise Stopped(f"holdout ledger {str(self._path)!r} cannot be used: {error}; run the same again") from error
        except sqlite3.DatabaseError as error:
            raise Damaged(
                f"holdout ledger {str(self._path)!r} is damaged: {error}; restore it from a copy, since without it "
                "nobody can tell how often these cases were looked at"
            ) from error
        finally:
            if connection is not None:
                connection.close()


@contextmanager
def _immediate(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _overlapping(connection: sqlite3.Connection, contents: Sequence[str]) -> list[tuple[Look, int]]:
    """Earlier looks that share a case, oldest first, each with the number of looks that was declared for it."""
    rows = connection.execute(_OVERLAPPING, (json.dumps(sorted(set(contents))),)).fetchall()
    return [
        (Look(holdout=holdout, manifest=manifest, candidate=candidate, number=number), declared)
        for holdout, manifest, candidate, number, declared in rows
    ]


def _refuse_overspending(look: Look, earlier: Sequence[tuple[Look, int]], looks_allowed: int) -> None:
    """Each look spends alpha divided by the looks declared when it was taken; together they spend alpha at most."""
    spent = sum((Fraction(1, declared) for _, declared in earlier), Fraction(0))
    within = look.number <= looks_allowed and spent + Fraction(1, looks_allowed) <= 1
    if within:
        return
    used = ", ".join(f"{taken.manifest[:12]} (look {taken.number} of {declared})" for taken, declared in earlier)
    raise LookRefused(
        f"look {look.number} at holdout {look.holdout[:12]} is refused: {looks_allowed} declared, {len(earlier)} used "
        f"by manifests {used or 'none'}; evaluate on cases that nobody has looked at"
    )


def _record(connection: sqlite3.Connection, look: Look, contents: Sequence[str], looks_allowed: int) -> None:
    taken_at = datetime.now(UTC).isoformat(timespec="seconds")
    cursor = connection.execute(
        "INSERT INTO look (holdout, manifest, candidate, number, looks_allowed, taken_at) VALUES (?, ?, ?, ?, ?, ?)",
        (look.holdout, look.manifest, look.candidate, look.number, looks_allowed, taken_at),
    )
    rows = [(cursor.lastrowid, content) for content in sorted(set(contents))]
    connection.executemany("INSERT INTO look_case (look, content) VALUES (?, ?)", rows)
