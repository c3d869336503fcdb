"""The call ledger: every request to a model, before it leaves and after its reply came back.

Takes    a request, who asks, and the occurrence of that request within (session, attempt).
Gives    the reply that an earlier process already bought, or a ticket to buy one.
Refuses  a call beyond the budget. A call in flight when a process was killed counts as spent, because it may have been
         billed; its tokens and dollars are unknown, so it counts as the dearest finished call.
Source   DESIGN.md, "The seven stages": replies are reused by (session, attempt, request, occurrence).
"""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tasks.records.errors import BudgetSpent
from tasks.records.model import Asker, ModelReply, ModelRequest
from tasks.records.spec import Budget

VERSION = 1
_SCHEMA = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY,
    manifest TEXT NOT NULL, session TEXT NOT NULL, attempt TEXT NOT NULL,
    request TEXT NOT NULL, occurrence INTEGER NOT NULL,
    request_json TEXT NOT NULL, reply_json TEXT,
    input_tokens INTEGER, output_tokens INTEGER, cost_usd REAL,
    started REAL NOT NULL, seconds REAL, retries INTEGER NOT NULL DEFAULT 0, hits INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    UNIQUE (manifest, session, attempt, request, occurrence)
);
CREATE TABLE IF NOT EXISTS clock (manifest TEXT PRIMARY KEY, seconds REAL NOT NULL);
"""


class Spent(NamedTuple):
    """What an experiment has spent since it was frozen, in every process that worked on it."""

    lm_calls: int
    tokens: int
    cost_usd: float
    seconds: float


class Row(NamedTuple):
    """One bought call as the audit reads it."""

    session: str
    attempt: str
    request: str
    occurrence: int
    request_json: str
    reply_json: str | None


class CallLedger:
    """One experiment's calls in a SQLite file that many experiments and processes share."""

    def __init__(self, path: Path, manifest: str, budget: Budget) -> None:
        self.manifest, self.budget = manifest, budget
        self.bought = self.reused = 0
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")  # survives a killed process; a power cut may lose the last call
        self._db.executescript(_SCHEMA)
        self._counted: float | None = None
        self._spent = self.spent()

    def close(self) -> None:
        self._db.close()

    def known(self, request: ModelRequest, asker: Asker, occurrence: int) -> ModelReply | None:
        """The reply bought earlier for this very occurrence, or None."""
        key = self._key(request, asker, occurrence)
        with self._lock:
            row = self._db.execute(f"SELECT id, reply_json FROM calls WHERE {_WHERE}", key).fetchone()  # noqa: S608
            if row is None or row[1] is None:
                return None
            self._db.execute("UPDATE calls SET hits = hits + 1 WHERE id = ?", (row[0],))
            self.reused += 1
        return ModelReply.model_validate_json(row[1])

    def begin(self, request: ModelRequest, asker: Asker, occurrence: int) -> int:
        """Write the call down before it leaves. Raises BudgetSpent, naming the ceiling that is reached."""
        self._tick()
        with self._lock:
            self._refuse_overrun()
            key = self._key(request, asker, occurrence)
            again = f"UPDATE calls SET retries = retries + 1, error = NULL WHERE {_WHERE} RETURNING id"  # noqa: S608
            retried = self._db.execute(again, key)
            if row := retried.fetchone():
                self._spent = self._spent._replace(lm_calls=self._spent.lm_calls + 1)
                return int(row[0])
            self._spent = self._spent._replace(lm_calls=self._spent.lm_calls + 1)
            values = (*key, request.model_dump_json(), time.time())
            cursor = self._db.execute(
                "INSERT INTO calls (manifest, session, attempt, request, occurrence, request_json, started)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            return int(cursor.lastrowid or 0)

    def finish(self, ticket: int, reply: ModelReply, seconds: float) -> None:
        """The reply has come and is paid for."""
        with self._lock:
            self._db.execute(
                "UPDATE calls SET reply_json = ?, input_tokens = ?, output_tokens = ?, cost_usd = ?, seconds = ?,"
                " error = NULL WHERE id = ?",
                (reply.model_dump_json(), reply.input_tokens, reply.output_tokens, reply.cost_usd, seconds, ticket),
            )
            self._spent = self._spent._replace(
                tokens=self._spent.tokens + reply.input_tokens + reply.output_tokens,
                cost_usd=self._spent.cost_usd + reply.cost_usd,
            )
            self.bought += 1

    def fail(self, ticket: int, error: str, seconds: float) -> None:
        """The provider answered with an error; the call is kept, without a reply."""
        with self._lock:
            self._db.execute(
                "UPDATE calls SET error = ?, seconds = coalesce(seconds, 0) + ? WHERE id = ?",
                (error[:500], seconds, ticket),
            )

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time inside toward the budget's seconds, also when it ends by an exception."""
        self._counted = time.monotonic()
        try:
            yield
        finally:
            self._tick()
            self._counted = None

    def _tick(self) -> None:
        """Charge the time since the last tick; with every call, so that a kill loses no more than the one in flight."""
        if self._counted is None:
            return
        with self._lock:
            now = time.monotonic()
            passed, self._counted = now - self._counted, now
            self._spent = self._spent._replace(seconds=self._spent.seconds + passed)
            self._db.execute(
                "INSERT INTO clock VALUES (?, ?)"
                " ON CONFLICT (manifest) DO UPDATE SET seconds = seconds + excluded.seconds",
                (self.manifest, passed),
            )

    def spent(self) -> Spent:
        """Calls, tokens, dollars and working seconds of this experiment so far; retries count as calls."""
        self._tick()
        totals = (
            "SELECT count(*) + coalesce(sum(retries), 0), sum(input_tokens + output_tokens), sum(cost_usd),"
            " sum(reply_json IS NULL AND error IS NULL), max(input_tokens + output_tokens), max(cost_usd)"
            " FROM calls WHERE manifest = ?"
        )
        with self._lock:
            calls, tokens, cost, lost, most, dearest = self._db.execute(totals, (self.manifest,)).fetchone()
            clock = self._db.execute("SELECT seconds FROM clock WHERE manifest = ?", (self.manifest,)).fetchone()
        lost = lost or 0
        return Spent(
            lm_calls=calls,
            tokens=(tokens or 0) + lost * (most or 0),
            cost_usd=(cost or 0.0) + lost * (dearest or 0.0),
            seconds=clock[0] if clock else 0.0,
        )

    def rows(self) -> list[Row]:
        """Every call of this experiment, in the order in which they were begun."""
        columns = "session, attempt, request, occurrence, request_json, reply_json"
        with self._lock:
            found = self._db.execute(
                f"SELECT {columns} FROM calls WHERE manifest = ? ORDER BY id",  # noqa: S608
                (self.manifest,),
            ).fetchall()
        return [Row(*row) for row in found]

    def _key(self, request: ModelRequest, asker: Asker, occurrence: int) -> tuple[str, str, str, str, int]:
        return self.manifest, asker.session, asker.attempt, request.fingerprint, occurrence

    def _refuse_overrun(self) -> None:
        spent, budget = self._spent, self.budget
        for name, used, ceiling in (
            ("lm_calls", spent.lm_calls + 1, budget.lm_calls),
            ("tokens", spent.tokens, budget.tokens),
            ("cost_usd", spent.cost_usd, budget.cost_usd),
            ("seconds", spent.seconds, budget.seconds),
        ):
            if used > ceiling:
                raise BudgetSpent(
                    f"budget.{name} = {ceiling:g} is spent ({used:g} used); a higher one is a new experiment"
                )


_WHERE = "manifest = ? AND session = ? AND attempt = ? AND request = ? AND occurrence = ?"
