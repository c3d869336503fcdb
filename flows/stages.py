"""Running a stage: as a Prefect task that reuses what the store already holds.

The key of a stage is the fingerprint of what it takes and the stage's own version. NO_CACHE, because our store decides
what is done; no retries, because a silent retry would spend governed budget twice.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from tasks.evidence.index import key_of
from tasks.evidence.store import EvidenceStore
from tasks.records.base import Record

R = TypeVar("R", bound=Record)


class Stages:
    """Runs stages one after the other; `seconds` and `reused` say how long each took and which were not run again."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store
        self.seconds: dict[str, float] = {}
        self.reused: list[str] = []

    def run(
        self,
        name: str,
        version: str,
        takes: Sequence[Record],
        kind: type[R],
        work: Callable[[], R],
        publish: Callable[[R], None],
    ) -> R:
        """The stage's record: recalled, or worked out and remembered before anything else may fail."""
        parts = {"version": version, **{type(record).__name__: record.fingerprint for record in takes}}
        key = key_of(name, parts)

        @task(name=name, task_run_name=name, retries=0, cache_policy=NO_CACHE, persist_result=False)
        def stage(takes: list[str]) -> State[R]:
            del takes  # shown in the Prefect UI
            known = self._store.recall(key)
            record = self._store.get(known, kind) if known else work()
            if not known:
                self._store.remember(key, self._store.put(record), parts)
            publish(record)
            if known:
                self.reused.append(name)
            return Completed(name="Reused" if known else "Completed", data=record)

        started = time.monotonic()
        try:
            state = stage([record.fingerprint for record in takes], return_state=True)
            return cast(R, state.result())
        finally:
            self.seconds[name] = round(time.monotonic() - started, 3)
