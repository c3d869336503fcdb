"""Journal: one file a run, written when it begins and when it ends; what `proveout runs` and `show` read.

Takes    a run's name, spec and process; later its outcome.
Gives    entries, newest first; a run whose process is gone reads as crashed, whatever its file says.
Refuses  an unknown or ambiguous run id, naming what there is.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from tasks.evidence.files import PRIVATE_FOLDER, held, write_whole
from tasks.evidence.home import Home
from tasks.evidence.orphans import is_dead, process_tags
from tasks.records.base import Record
from tasks.records.errors import Refusal, Stopped

State = Literal["running", "finished", "stopped", "crashed"]


class Entry(Record):
    """One run. `started` and `ended` are UTC; `order` counts runs, because clocks can be set back."""

    run_id: str
    order: int
    name: str
    spec: str
    process: dict[str, str]
    started: str
    state: State = "running"
    manifest: str = ""
    ended: str = ""
    said: str = ""
    outcome: dict[str, Any] | None = None


class Journal:
    """The runs of one state folder."""

    def __init__(self, home: Home) -> None:
        self._folder = home.root / "runs"
        self._locks = home.root / "locks"

    def begin(self, run_id: str, name: str, spec: str) -> Entry:
        """Write a run down before it does anything."""
        order = max((entry.order for entry in self.entries()), default=0) + 1
        return self._write(
            Entry(run_id=run_id, order=order, name=name, spec=spec, process=process_tags(), started=_now())
        )

    def end(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Write down how it ended."""
        return self._write(entry.model_copy(update={"state": state, "ended": _now(), **changes}))

    def entries(self) -> list[Entry]:
        """Every readable entry, newest first."""
        found = (_read(path) for path in self._folder.glob("*.json"))
        return sorted((entry for entry in found if entry), key=lambda entry: -entry.order)

    def crashed(self) -> list[Entry]:
        """Entries that still say running though their process is gone; they are not changed."""
        return [entry for entry in self.entries() if entry.state == "running" and is_dead(entry.process)]

    def find(self, wanted: str) -> Entry:
        """The run whose id, manifest or decision begins with `wanted`, or the newest for an empty string."""
        entries = self.entries()
        found = [entry for entry in entries if any(name.startswith(wanted) for name in _names(entry))]
        if not found:
            known = ", ".join(entry.run_id[:8] for entry in entries[:5]) or "none"
            raise Refusal(f"no run {wanted!r}; the newest runs are: {known}")
        if wanted and len({entry.run_id for entry in found if entry.run_id.startswith(wanted)}) > 1:
            raise Refusal(f"run {wanted!r} could be any of {', '.join(entry.run_id for entry in found[:5])}")
        return found[0]

    @contextmanager
    def alone(self, manifest: str) -> Iterator[None]:
        """Hold an experiment for one process; the kernel lets go of it when the process dies. Raises Stopped."""
        self._locks.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        with held(self._locks / manifest) as other:
            if other is not None:
                raise Stopped(f"experiment {manifest[:12]} is being run by process {other}; wait for it and run again")
            yield

    def _write(self, entry: Entry) -> Entry:
        text = json.dumps(entry.body(), ensure_ascii=False, indent=1)
        self._folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        write_whole(self._folder / f"{entry.run_id}.json", text.encode())
        return entry


def _names(entry: Entry) -> list[str]:
    prints = (entry.outcome or {}).get("fingerprints", {})
    return [entry.run_id, entry.manifest, *map(str, prints.values())]


def _read(path: Path) -> Entry | None:
    try:
        return Entry.model_validate_json(path.read_bytes())
    except (OSError, ValidationError, ValueError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
