"""Store: records and bytes, each under the hash of its content.

Takes    a Record or bytes.
Gives    its fingerprint; back for a fingerprint, exactly what was put, hash, type and form checked on every read.
Refuses  (Damaged) an object that is missing, truncated, altered, of another type, or written by another version.
Source   DESIGN.md, "Principles", 5; no pickle, nothing that names its own loader.
Not covered  somebody who can write this folder and rewrites a whole run consistently: self-consistent, not anchored.

An object of a plain record is canonical JSON, {"body": ..., "record": type name}, and its sha256 is the record's
fingerprint. A SourceTree names itself by its (path, mode, content hash) list, so its object is filed under that name
and is checked by rebuilding the tree.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from tasks.evidence.files import write_whole
from tasks.evidence.home import Home
from tasks.evidence.index import Index
from tasks.records.base import Record
from tasks.records.errors import Damaged, Refusal
from tasks.records.fingerprint import canonical, sha256

R = TypeVar("R", bound=Record)
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")
_HEAD = b'{"body":'
_TAIL = re.compile(rb',"record":"(\w+)"}\Z')


class EvidenceStore:
    """The content-addressed store of one state folder; safe with any number of threads and processes."""

    def __init__(self, home: Home) -> None:
        self._objects, self._sidecars = home.objects, home.sidecars
        self._index = Index(home.index, self.has)

    def put(self, record: Record) -> str:
        """Keep a record; gives `record.fingerprint`. Raises Unfit for a body without canonical JSON."""
        self._keep(record.fingerprint, _serialized(record))
        return record.fingerprint

    def put_bytes(self, content: bytes) -> str:
        """Keep bytes; gives their sha256."""
        fingerprint = sha256(content)
        self._keep(fingerprint, content)
        return fingerprint

    def get(self, fingerprint: str, kind: type[R]) -> R:
        """The record of that name and type. Raises Damaged."""
        content = self._read(fingerprint)
        if not _names_itself(kind) and sha256(content) != fingerprint:
            raise self._damaged(fingerprint, f"is altered or truncated: its bytes hash to {sha256(content)}")
        try:
            record = kind.model_validate_json(_body(content, kind))
        except (ValidationError, ValueError) as error:
            raise self._damaged(fingerprint, f"is no {kind.__name__}: {_first_line(error)}") from error
        if record.fingerprint != fingerprint or _serialized(record) != content:
            raise self._damaged(fingerprint, f"does not read back as the {kind.__name__} that it is named after")
        return record

    def get_bytes(self, fingerprint: str) -> bytes:
        """The bytes of that name. Raises Damaged."""
        content = self._read(fingerprint)
        if sha256(content) != fingerprint:
            raise self._damaged(fingerprint, f"is altered or truncated: its bytes hash to {sha256(content)}")
        return content

    def has(self, fingerprint: str) -> bool:
        """Whether an object of that name is on disk; its content is checked when it is read."""
        return _sharded(self._objects, fingerprint).is_file()

    def remember(self, key: str, fingerprint: str, parts: Mapping[str, object] | None = None) -> None:
        """Note that what `key` (see `index.key_of`) names is done and gave `fingerprint`."""
        self._index.remember(key, fingerprint, parts)

    def recall(self, key: str) -> str | None:
        """What `key` gave; None when it is not done, its entry is unreadable, or its object is gone."""
        return self._index.recall(key)

    def explain(self, kind: str, parts: Mapping[str, object]) -> str:
        """One line: which parts of the key differ from the nearest earlier one of that kind."""
        return self._index.explain(kind, parts)

    def sidecar(self, fingerprint: str, facts: Mapping[str, Any]) -> None:
        """Keep times, costs, hosts and run ids beside an object; the last writer wins, and nothing hashes them."""
        text = json.dumps(dict(facts), default=str, ensure_ascii=False, indent=2, sort_keys=True)
        write_whole(_sharded(self._sidecars, fingerprint), text.encode("utf-8", errors="replace"))

    def read_sidecar(self, fingerprint: str) -> dict[str, Any]:
        """The facts beside an object; empty when there are none or they are unreadable."""
        try:
            facts = json.loads(_sharded(self._sidecars, fingerprint).read_bytes())
        except (OSError, ValueError):
            return {}
        return facts if isinstance(facts, dict) else {}

    def _keep(self, fingerprint: str, content: bytes) -> None:
        path = _sharded(self._objects, fingerprint)
        if not _holds(path, content):  # puts a damaged object right, too, since its name says what belongs here
            write_whole(path, content)

    def _read(self, fingerprint: str) -> bytes:
        try:
            return _sharded(self._objects, fingerprint).read_bytes()
        except OSError as error:
            raise self._damaged(fingerprint, f"cannot be read: {error.strerror or error}") from error

    def _damaged(self, fingerprint: str, what: str) -> Damaged:
        path = _sharded(self._objects, fingerprint)
        return Damaged(f"object {fingerprint} {what}; delete {str(path)!r} and run the same again to recompute it")


def _serialized(record: Record) -> bytes:
    return canonical({"record": type(record).__name__, "body": record.body()})


def _body(content: bytes, kind: type[Record]) -> bytes:
    """The body's own bytes; canonical JSON sorts `body` before `record`, so they lie between a fixed head and tail."""
    tail = f',"record":"{kind.__name__}"}}'.encode()
    if not (content.startswith(_HEAD) and content.endswith(tail)):
        named = _TAIL.search(content)
        raise ValueError(f"it is a {named[1].decode()}" if named else "it is no whole record")
    return content[len(_HEAD) : -len(tail)]


def _names_itself(kind: type[Record]) -> bool:
    return kind.__dict__.get("fingerprint") is not None


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _sharded(folder: Path, fingerprint: str) -> Path:
    if not _FINGERPRINT.fullmatch(fingerprint):
        raise Refusal(f"{fingerprint!r} is no fingerprint: 64 lower-case hex digits were expected")
    return folder / fingerprint[:2] / fingerprint[2:]


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
