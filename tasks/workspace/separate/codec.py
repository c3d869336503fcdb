"""Codec: what may cross the wall between tests and candidate, in both directions alike.

Takes    exact builtins and a fixed list of value types of the standard library. None, booleans, strings and integers of
         up to 53 bits are themselves; everything else is a list that begins with a tag.
Gives    the same values, made anew by the side that reads; for a list, dict, set and their like the very object that
         stands for it on that side.
Refuses  (Refused) subclasses (a subclass can lie), unknown tags, more than 200,000 values or 50 levels in one message.
Covered  aliasing: a mutable container that crossed once is *shared*, it has a number, and every message brings what
         changed in it since, so that a candidate that sorts its argument in place, or keeps it, or hands out its own
         list, shows it to the test just as it would in one process. When neither side can reach it any more it is
         forgotten.
Not covered  what changes between two messages and back again.
"""

import json
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from tasks.workspace.separate.frames import Message, Refused
from tasks.workspace.separate.scalars import EXACT_IN_JSON, SCALARS, read_int, write_int

MAX_VALUES = 200_000
MAX_DEPTH = 50
PRUNE_ROUNDS = 10
CONTAINERS: dict[str, type[Any]] = {
    "l": list, "d": dict, "s": set, "B": bytearray, "C": Counter, "O": OrderedDict, "D": defaultdict, "q": deque,
}  # fmt: skip
KINDS = {made: kind for kind, made in CONTAINERS.items()}
_probe: dict[int, list[int]] = {0: []}
LONE = sys.getrefcount(_probe[0])
"""The count of an object that nothing but one dictionary refers to, as seen from here."""


class Codec:
    """One side of the wire. `first` is 1 on one side and 2 on the other, so that numbers never collide."""

    def __init__(self, first: int) -> None:
        self.shared: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}
        self._known: dict[int, str] = {}
        self._theirs = 3 - first
        self._next = first
        self._values = 0
        self._owed: list[int] = []

    # What a side adds to the values: objects that stay where they are.

    def foreign(self, value: Any) -> list[Any]:
        """Write what is no value. Raises Refused."""
        raise Refused(f"an object of type {type(value).__name__}")

    def resolve(self, tag: str, words: list[Any]) -> Any:
        """Read what is no value. Raises Refused."""
        raise Refused(f"the unknown tag {tag[:20]!r} of {len(words)} words")

    def admit(self, value: Any) -> None:
        """Look at a text, bytes or a path before it leaves. Raises Refused."""

    # Writing.

    def take_number(self) -> int:
        self._next += 2
        return self._next - 2

    def encode(self, value: Any, depth: int = 0) -> Any:
        """The value as JSON can say it. Raises Refused."""
        self._count(depth)
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            self.admit(value)
            return value
        if kind is int:
            return value if -EXACT_IN_JSON < value < EXACT_IN_JSON else ["i", write_int(value)]
        if kind is tuple or kind is frozenset:
            return ["t" if kind is tuple else "z", [self.encode(each, depth + 1) for each in value]]
        if kind is slice:
            return ["slice", [self.encode(each, depth + 1) for each in (value.start, value.stop, value.step)]]
        if kind in KINDS:
            return ["r", self._number(value)]
        return self._scalar(value, kind) or self.foreign(value)

    def _scalar(self, value: Any, kind: type) -> list[Any] | None:
        key = (kind.__module__, kind.__name__)
        if key not in SCALARS or getattr(sys.modules.get(key[0]), key[1], None) is not kind:
            return None
        self.admit(value)
        written = SCALARS[key][0](value)
        return None if written is None else ["v", *key, *written]

    def _number(self, value: Any) -> int:
        number = self.numbers.get(id(value))
        if number is None:
            number = self.numbers[id(value)] = self.take_number()
            self.shared[number] = value
        return number

    def _content(self, value: Any) -> Any:
        kind = KINDS[type(value)]
        if kind == "B":
            return bytes(value).hex()
        if kind in "dCOD":
            return [[self.encode(key), self.encode(each)] for key, each in dict.items(value)]
        content = [self.encode(each) for each in value]
        if kind == "q":
            return [value.maxlen, content]
        return sorted(content, key=json.dumps) if kind == "s" else content

    def write(self, **parts: Any) -> Message:
        """A message of encoded parts, with every shared container that is new or changed. Raises Refused.

        A refusal leaves no trace: what was numbered for this message alone is forgotten.
        """
        before, self._values = set(self.shared), 0
        try:
            message = {name: self.encode(part) for name, part in parts.items()}
            changed = self._changes()
        except BaseException:
            for number in self.shared.keys() - before:
                self.forget(number)
            raise
        self._known.update({number: text for number, _, _, text in changed})
        self._owed += self._prune()
        forgotten, self._owed = self._owed, []
        return {**message, "shared": [each[:3] for each in changed], "forget": forgotten}

    def unsent(self, message: Message) -> None:
        """Take back what a message that could not be sent would have told."""
        for number, *_ in message["shared"]:
            self._known.pop(number, None)
        self._owed += message["forget"]

    def _changes(self) -> list[tuple[int, str, Any, str]]:
        """Until nothing new turns up: the content of one container may bring others."""
        changes, seen = [], set[int]()
        while todo := self.shared.keys() - seen:
            for number in sorted(todo):
                content = self._content(self.shared[number])
                text = json.dumps(content)
                if self._known.get(number) != text:
                    changes.append((number, KINDS[type(self.shared[number])], content, text))
            seen |= todo
        return changes

    def _prune(self) -> list[int]:
        """Forget what nobody here can reach any more, and tell."""
        forgotten: list[int] = []
        for _ in range(PRUNE_ROUNDS):  # what only the forgotten held is next, one level a round
            lone = [number for number in self.shared if sys.getrefcount(self.shared[number]) == LONE]
            if not lone:
                break
            sent = [number for number in lone if number in self._known]
            forgotten += sent
            for number in lone:
                self.forget(number)
        return forgotten

    def forget(self, number: int) -> None:
        value = self.shared.pop(number, None)
        self._known.pop(number, None)
        if value is not None:
            self.numbers.pop(id(value), None)

    # Reading.

    def read(self, message: Message) -> None:
        """Take over what changed in shared containers. Raises Refused."""
        self._values = 0
        changed = _rows(message.get("shared"), 3)
        for number, kind, _ in changed:
            self._expect(number, kind)
        for number, _, content in changed:
            self._fill(self.shared[number], content)
            self._known[number] = json.dumps(content)

    def forgotten(self, message: Message) -> None:
        """Forget what the other side said that nobody there can reach; after the message was decoded."""
        for number in _list(message.get("forget")):
            self.forget(number)

    def _expect(self, number: Any, kind: Any) -> None:
        if type(number) is not int or type(kind) is not str or kind not in CONTAINERS:
            raise Refused("a container without a number or a kind")
        if number not in self.shared:
            if number % 2 != self._theirs % 2:
                raise Refused("a container that was never shared")
            value = CONTAINERS[kind]()
            self.shared[number] = value
            self.numbers[id(value)] = number
        elif KINDS[type(self.shared[number])] != kind:
            raise Refused("a container that changed its type")

    def _fill(self, value: Any, content: Any) -> None:
        kind = KINDS[type(value)]
        if kind == "B":
            value[:] = bytes.fromhex(content)
        elif kind in "dCOD":
            items = [(self.decode(key), self.decode(each)) for key, each in _rows(content, 2)]
            dict.clear(value) if kind != "O" else value.clear()
            for key, each in items:
                type(value).__setitem__(value, key, each)
        elif kind == "q":
            self._fill_deque(value, content)
        else:
            decoded = [self.decode(each) for each in _list(content)]
            value.clear()
            (value.update if kind == "s" else value.extend)(decoded)

    def _fill_deque(self, value: Any, content: Any) -> None:
        limit, items = content
        if limit != value.maxlen:  # only while it is new: a deque keeps its bound
            if value:
                raise Refused("a deque that changed its bound")
            value.__init__((), limit)
        decoded = [self.decode(each) for each in _list(items)]
        value.clear()
        value.extend(decoded)

    def decode(self, written: Any, depth: int = 0) -> Any:
        """The value that was written. Raises Refused for whatever no honest side writes."""
        self._count(depth)
        if written is None or type(written) in (bool, int, str):
            return written
        if type(written) is not list or not written or type(written[0]) is not str:
            raise Refused("a value without a tag")
        tag, *words = written
        match tag:
            case "i":
                return read_int(*words)
            case "t" | "z" | "slice":
                parts = [self.decode(each, depth + 1) for each in _list(*words)]
                return slice(*parts) if tag == "slice" else (tuple if tag == "t" else frozenset)(parts)
            case "r":
                return self.shared[words[0]]
            case "v":
                module, name, *rest = words
                return SCALARS[module, name][1](*rest)
        return self.resolve(tag, words)

    def _count(self, depth: int) -> None:
        self._values += 1
        if self._values > MAX_VALUES or depth > MAX_DEPTH:
            raise Refused(f"more than {MAX_VALUES} values or {MAX_DEPTH} levels at once")


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise Refused("no list where one is due")
    return value


def _rows(value: Any, width: int) -> list[list[Any]]:
    rows = _list(value)
    if not all(type(row) is list and len(row) == width for row in rows):
        raise Refused(f"a row that has not {width} parts")
    return rows
