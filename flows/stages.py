"""Running a stage: as a Prefect task that reuses what the store already holds.

The key of a stage is the fingerprint of what it takes and the stage's own version. NO_CACHE, because our store decides
what is done; no retries, because a silent retry would spend governed budget twice.
"""

import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from tasks.evidence.index import key_of
from tasks.evidence.store import EvidenceStore
from tasks.records.base import Record
from tasks.records.verdict import Decision

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Taken:
    """How a stage was taken: when it began, and the seconds of its work; None when the store had its record."""

    name: str
    started_ms: int
    seconds: float | None


class Stages:
    """Runs stages one after the other: how long each took, which were `reused`, and why the others were `computed`."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store
        self.seconds: dict[str, float] = {}
        self.reused: list[str] = []
        self.computed: dict[str, str] = {}

    def run(
        self,
        name: str,
        version: str,
        takes: Sequence[Record],
        kind: type[R],
        work: Callable[[], R],
        publish: Callable[[R, Taken], None],
    ) -> R:
        """The stage's record: recalled, or worked out and remembered before anything else may fail."""
        parts = {"version": version, **{type(record).__name__: record.fingerprint for record in takes}}
        key = key_of(name, parts)

        @task(name=name, task_run_name=name, retries=0, cache_policy=NO_CACHE, persist_result=False)
        def stage(takes: list[str]) -> State[R]:
            log, started_ms = get_run_logger(), int(time.time() * 1000)
            for taken in takes:
                log.info("takes %s", taken)
            known = self._store.recall(key)
            if not known:
                self.computed[name] = self._store.explain(name, parts)
                log.info("computed: %s", self.computed[name])
            started = time.monotonic()
            record = self._store.get(known, kind) if known else work()
            seconds = None if known else round(time.monotonic() - started, 3)
            if not known:
                self._store.remember(key, self._store.put(record), parts)
                facts = {"stage": name, "started_ms": started_ms, "seconds": seconds, "host": socket.gethostname()}
                self._store.sidecar(record.fingerprint, facts)  # what differs from run to run is no part of a name
            log.info("gives %s", record.fingerprint)
            publish(record, Taken(name, started_ms, seconds))
            if known:
                self.reused.append(name)
            verdict = record.verdict if isinstance(record, Decision) else None
            return Completed(name="Reused" if known else "Completed", message=verdict, data=record)

        started = time.monotonic()
        try:
            state = stage([record.fingerprint for record in takes], return_state=True)
            return cast(R, state.result())
        finally:
            self.seconds[name] = round(time.monotonic() - started, 3)
