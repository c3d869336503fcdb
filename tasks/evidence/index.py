"""Index: what is already done, by key.

Takes    a key made of named parts (the fingerprint of what a stage takes, the stage's own version, ...).
Gives    the fingerprint of what it gave, so that a completed stage or test run is not done again; and, on a miss, which
         part differs from the nearest earlier key.
Refuses  nothing: an entry that is truncated, altered or points at a missing object is a miss, never a crash.
Source   DESIGN.md, "The seven stages": our store decides what is done.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tasks.evidence.files import write_whole
from tasks.records.fingerprint import canonical, fingerprint, sha256

_SHOWN_CHARS = 60


def key_of(kind: str, parts: Mapping[str, object]) -> str:
    """`kind/hash of the parts`, such as `baseline/3fa9...`. Raises Unfit for parts without canonical JSON."""
    return f"{kind}/{fingerprint(dict(parts))}"


class Index:
    """One file an entry, below one folder a kind. `has` says whether an object still exists."""

    def __init__(self, folder: Path, has: Callable[[str], bool]) -> None:
        self._folder, self._has = folder, has

    def remember(self, key: str, given: str, parts: Mapping[str, object] | None = None) -> None:
        """Note that `key` gave the object named `given`; the last writer wins."""
        entry = {"key": key, "fingerprint": given, "parts": dict(parts or {})}
        write_whole(self._path(key), canonical(entry))

    def recall(self, key: str) -> str | None:
        """The fingerprint that `key` gave, if its entry is whole and its object is there."""
        entry = _read(self._path(key))
        if entry.get("key") != key:
            return None
        given = entry.get("fingerprint")
        return given if isinstance(given, str) and len(given) == 64 and self._has(given) else None

    def explain(self, kind: str, parts: Mapping[str, object]) -> str:
        """Which parts differ from the earlier key of that kind that shares most of them, the newest of equals."""
        earlier = list(self._earlier(kind))
        if not earlier:
            return f"no {kind} was done before"
        wanted = json.loads(canonical(dict(parts)))
        nearest = max(earlier, key=lambda known: _shared(known, wanted))
        changes = list(_changes(nearest, wanted))
        if not changes:
            return f"{kind} was done before with the same parts"
        return f"{kind} was done before, but differs in {'; '.join(changes)}"

    def _earlier(self, kind: str) -> Iterator[dict[str, Any]]:
        """Parts of every readable entry of a kind, newest first."""
        for path in sorted(self._kind_folder(kind).glob("*.json"), key=_modified, reverse=True):
            parts = _read(path).get("parts")
            if isinstance(parts, dict) and parts:
                yield parts

    def _path(self, key: str) -> Path:
        kind, _, _ = key.rpartition("/")
        return self._kind_folder(kind) / f"{sha256(key.encode())}.json"

    def _kind_folder(self, kind: str) -> Path:
        """A kind is a word of ours; anything else is filed under its hash, so that no key leaves the folder."""
        name = kind or "plain"
        return self._folder / (name if name.replace("-", "").isalnum() and name.isascii() else sha256(name.encode()))


def _read(path: Path) -> dict[str, Any]:
    try:
        entry = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _shared(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> int:
    return sum(name in known and known[name] == value for name, value in wanted.items())


def _changes(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*known, *wanted}):
        then, now = known.get(name), wanted.get(name)
        if then != now:
            yield f"{name}: {_shown(then)} then, {_shown(now)} now"


def _shown(value: object) -> str:
    text = "absent" if value is None else repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."
