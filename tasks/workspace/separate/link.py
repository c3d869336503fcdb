"""Link: the tests' side of the wire. It asks the candidate's process, and believes nothing but the form of the answer.

Takes    two file descriptors, and what to make of objects and exceptions that stay with the candidate (`Making`).
Gives    decoded values; exceptions of the candidate, raised here as stand-ins; calls back into the tests.
Refuses  by Violation whatever cannot cross or is malformed. Each is also noted out of band, so that a test that
         swallows it fails all the same; after a malformed frame nothing crosses any more.
Covered  garbage, huge, late, doubled and unasked frames, a dead or silent process (the wall clock of the run bounds the
         wait), errors of our own decoding taken for the candidate's, files and surroundings of the test that the
         candidate cannot see.
"""

import functools
import itertools
import os
import sys
import tempfile
import threading
import types
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from tasks.workspace.separate import stdlib
from tasks.workspace.separate.codec import Codec, _list, _rows
from tasks.workspace.separate.frames import Closed, Message, Refused, receive, send
from tasks.workspace.separate.material import HEARD, UNHEARD

MAX_FUNCTIONS = 10_000
MAX_DEPTH = 50
MOST_KINDS = 2
ITERATORS: tuple[type, ...] = (
    types.GeneratorType, type(iter([])), type(iter(())), type(iter({})), type(iter("")), type(iter(set())), map, zip,
    filter, enumerate, reversed, itertools.chain, itertools.count, itertools.cycle, itertools.repeat, itertools.islice,
    type(iter(range(0))),
)  # fmt: skip
FUNCTIONS: tuple[type, ...] = (types.FunctionType, types.MethodType, types.BuiltinMethodType, functools.partial)


class Violation(BaseException):
    """A question that must not be answered, or an answer that cannot be believed. The node fails, caught or not."""


class Making(Protocol):
    """What stands here for the candidate's objects."""

    def handle(self, link: "Link", number: int, kind: tuple[int, str, tuple[str, ...]]) -> Any: ...
    def number_of(self, value: Any) -> int | None: ...
    def module_name(self, value: Any) -> str | None: ...
    def module(self, name: str) -> Any: ...
    def error_class(self, link: "Link", number: int, module: str, name: str, bases: tuple[type, ...]) -> type: ...
    def error(self, number: int, kind: type, args: tuple[Any, ...], text: str, own: dict[str, Any]) -> Exception: ...


class Link(Codec):
    """One request at a time, each answered by one reply, between them calls back."""

    def __init__(self, reader: int, writer: int, making: Making, tell: Callable[[bytes], None]) -> None:
        """`tell` is told once whether the worker was HEARD."""
        super().__init__(first=1)
        self.tell = tell
        self.reader, self.writer, self.making = reader, writer, making
        self.violations: list[str] = []
        self.dropped: list[int] = []
        self.functions: dict[int, Any] = {}
        self.raised: dict[int, BaseException] = {}
        self._held: Counter[int] = Counter()
        self.kinds: dict[int, tuple[int, str, tuple[str, ...]]] = {}
        self.objects: dict[int, int] = {}
        self.error_classes: dict[int, type] = {}
        self._unread: dict[int, list[Any]] = {}
        self._errors: dict[int, tuple[Any, ...]] = {}
        self._function_numbers: dict[int, int] = {}
        self._lock, self._request, self._depth = threading.RLock(), 0, 0
        self._dead, self._greeted, self.heard = "", False, False
        self.surroundings: Any = None
        self.patched = False

    # Asking.

    def start(self) -> None:
        """From here on the tests' surroundings must be what they are now, which is what the candidate's are."""
        self.surroundings = surroundings()

    def greet(self) -> None:
        """Wait for the worker's first word, which it says before it imports anything; once. Raises Violation.

        Not before somebody wants to know, because pytest starts as slowly as the worker.
        """
        if self._greeted:
            return
        self._greeted = True
        try:
            self._receive(0)
        except Exception as error:  # noqa: BLE001 - of our own decoding
            self._die(f"a malformed answer ({type(error).__name__})")
        finally:
            self.tell(HEARD if self.heard else UNHEARD)

    def ask(self, do: str, on: Any, /, *args: Any, **kwargs: Any) -> Any:
        """What the candidate answers. Raises its exception, or Violation."""
        __tracebackhide__ = True
        with self._lock:
            try:
                kind, value = self._exchange(do, on, args, kwargs)
            except Exception as error:  # noqa: BLE001 - of our own decoding: never the candidate's
                self._die(f"a malformed answer ({type(error).__name__})")
            except Refused as error:
                self.violate(str(error))
        if kind == "raise":
            if isinstance(value, StopIteration | StopAsyncIteration) and not (do == "special" and "__next__" in args):
                self.violate("an end of iteration was raised where nobody iterates")  # any loop around would end
            raise value
        if value is Exception or (type(value) is tuple and any(each is Exception for each in value)):
            self.violate("the class of all exceptions, for whatever a test expects")
        return value

    def violate(self, why: str) -> NoReturn:
        """Note it where no test can reach, and raise it."""
        __tracebackhide__ = True
        self.violations.append(why)
        raise Violation(why)

    def _die(self, why: str) -> NoReturn:
        __tracebackhide__ = True
        self._dead = self._dead or why
        self.violate(self._dead)

    def _exchange(self, do: str, on: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, Any]:
        if self._dead:
            self._die("")
        self.greet()
        if self.patched:
            self.violate("the candidate does not see what the test patched")
        if surroundings() != self.surroundings:
            self.violate("the candidate does not see the test's environment variables, arguments or working folder")
        if self._depth > MAX_DEPTH:
            self.violate(f"calls nested more than {MAX_DEPTH} deep")
        self._request += 1
        request = self._request
        self._post({"id": request, "do": do}, on=on, args=args, kwargs=tuple(kwargs.items()))
        left: BaseException | None = None
        while True:
            kind, value = self._receive(request)
            if kind == "call":
                left = self._answer(request, *value) or left
            elif left is not None:
                raise left
            else:
                return kind, value

    def _post(self, head: Message, **parts: Any) -> None:
        message = self.write(**parts)
        dropped, self.dropped = self.dropped, []
        try:
            send(self.writer, {**message, **head, "drop": dropped})
        except Closed:
            self._die("the candidate's process is gone")
        except Refused:
            self.unsent(message)
            self.dropped += dropped
            raise
        for number in dropped:
            self.objects.pop(number, None)

    # Being answered.

    def _receive(self, request: int) -> tuple[str, Any]:
        """Anything wrong with the form of a frame is the end: what follows it could be anything."""
        try:
            message = receive(self.reader)
            self.heard = True
            return self._take(message, request)
        except Closed:
            self._die("the candidate's process is gone")
        except Refused as error:
            self.heard = True
            self._die(f"a malformed answer: {error}")

    def _take(self, message: Message, request: int) -> tuple[str, Any]:
        if type(message.get("id")) is not int or message["id"] != request:
            raise Refused("an answer to another question")
        self._say(message)
        kind = message.get("kind")
        self._announce(message)
        self.read(message)
        if kind == "trouble":
            self.forgotten(message)
            self.violate(f"cannot be judged from outside: {str(message['value'])[:300]}")
        if kind == "call":
            value: Any = [self.decode(message[part]) for part in ("on", "args", "kwargs")]
        elif kind in ("value", "raise"):
            value = self.decode(message["value"])
            if kind == "raise" and not isinstance(value, BaseException):
                raise Refused("something raised that is no exception")
        else:
            raise Refused("an answer of no kind")
        self.forgotten(message)
        return kind, value

    @staticmethod
    def _say(message: Message) -> None:
        for name, stream in (("out", sys.stdout), ("err", sys.stderr)):
            if type(message[name]) is not str:
                raise Refused("printed text that is no text")
            if message[name]:
                stream.write(message[name])

    def _announce(self, message: Message) -> None:
        for number, name, special in _rows(message["classes"], 3):
            if type(number) is not int or type(name) is not str or not all(type(each) is str for each in special):
                raise Refused("a class without number, name or methods")
            self.kinds.setdefault(number, (number, name[:200], tuple(special)))
        for number, kind in _rows(message["objects"], 2):
            if type(number) is not int or number in self.objects or number % 2 or kind not in self.kinds:
                raise Refused("an object that is announced twice or is of no class")
            self.objects[number] = kind
        for number, module, name, bases in _rows(message["error_classes"], 4):
            self._error_class(number, module, name, bases)
        for row in _rows(message["errors"], 6):
            self._unread[row[0]] = row

    def _error_class(self, number: Any, module: Any, name: Any, bases: Any) -> None:
        parents = tuple(self.decode(base) for base in _list(bases))
        right = all(isinstance(parent, type) and issubclass(parent, Exception) for parent in parents) and parents
        if type(number) is not int or number in self.error_classes or number % 2 or not right:
            raise Refused("a class of exceptions without a number or a base")
        self.error_classes[number] = self.making.error_class(self, number, str(module), str(name), parents)

    # Values that are none.

    def resolve(self, tag: str, words: list[Any]) -> Any:
        match tag:
            case "h" if words[0] in self.error_classes:
                return self.error_classes[words[0]]
            case "h":
                return self._handle(words[0])
            case "m" if type(words[0]) is str:
                return self.making.module(words[0])
            case "g":
                return stdlib.named(*words)
            case "x":
                return self._error(words[0])
            case "o":
                return self.functions[words[0]]
            case "y":
                return self.raised[words[0]]
        return super().resolve(tag, words)

    def _handle(self, number: int) -> Any:
        return self.making.handle(self, number, self.kinds[self.objects[number]])

    def hold(self, number: int) -> None:
        """There is one handle more."""
        self._held[number] += 1
        if number in self.dropped:
            self.dropped.remove(number)

    def release(self, number: int) -> None:
        """There is one handle less; without any, the candidate's process need not keep the object for us."""
        self._held[number] -= 1
        if not self._held[number]:
            del self._held[number]
            self.dropped.append(number)

    def _error(self, number: int) -> Exception:
        """A new instance each time: an exception that is kept keeps the frames that it passed."""
        if number in self._unread:
            self._errors[number] = self._error_parts(*self._unread.pop(number))
        kind, args, text, own, cause = self._errors[number]
        if len(known_kinds(kind)) > MOST_KINDS:
            self.violations.append("an exception of as many kinds as a test might expect")
        error = self.making.error(number, kind, args, text, own)
        if cause is not None:
            error.__cause__ = self.decode(cause)
        return error

    def _error_parts(self, _: Any, base: Any, args: Any, text: Any, own: Any, cause: Any) -> tuple[Any, ...]:
        kind, given = self.decode(base), self.decode(args)
        if not (isinstance(kind, type) and issubclass(kind, Exception)) or type(given) is not tuple:
            raise Refused("an exception of no class")
        attributes = {name: self.decode(each) for name, each in _rows(own, 2) if type(name) is str}
        return kind, given, text if type(text) is str else "", attributes, cause

    def foreign(self, value: Any) -> list[Any]:
        if (number := self.making.number_of(value)) is not None:
            return ["h", number]
        if (name := self.making.module_name(value)) is not None:
            return ["m", name]
        known = stdlib.name_of(value) or stdlib.function_name(value)
        if known is not None:
            return ["g", *known]
        if isinstance(value, Exception) and type(value).__module__ == "builtins":
            return self._own_error(value, None)
        if type(value) in FUNCTIONS or type(value) in ITERATORS:
            return self._function(value)
        raise Refused(f"an object of the test's own cannot cross ({type(value).__name__})")

    def _own_error(self, error: BaseException, number: int | None) -> list[Any]:
        kind = stdlib.nearest_error(type(error)) or Exception
        known = stdlib.name_of(kind)
        # The message of a failed assertion, or of pytest's own `fail`, would tell the candidate what was expected.
        args = () if isinstance(error, AssertionError) or not isinstance(error, Exception) else error.args
        return ["q", *(known or ("builtins", "Exception")), self.encode(args), number]

    def _function(self, value: Any) -> list[Any]:
        iterates = type(value) in ITERATORS
        if id(value) not in self._function_numbers:
            if len(self.functions) >= MAX_FUNCTIONS:
                raise Refused(f"more than {MAX_FUNCTIONS} functions of the test's own")
            number = self._function_numbers[id(value)] = self.take_number()
            self.functions[number] = value
        return ["it" if iterates else "o", self._function_numbers[id(value)]]

    def admit(self, value: Any) -> None:
        """A path of the test's own folders means nothing to the candidate, who has other folders."""
        text = os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else value
        if not isinstance(text, str) or "/" not in text:
            return
        if "pytest-of-" in text or (text.startswith(f"{tempfile.gettempdir()}/") and os.path.lexists(text)):
            raise Refused("a file of the test's cannot cross")

    # Calling back.

    def _answer(self, request: int, number: Any, args: Any, kwargs: Any) -> BaseException | None:
        """Call a function of the tests. Gives what it raised if that is nothing that the candidate may catch."""
        function: Any = self.functions[number]
        value, error = None, None
        self._depth += 1
        try:
            value = next(function) if type(function) in ITERATORS else function(*args, **dict(kwargs))
        except BaseException as raised:  # noqa: BLE001 - crosses, and may come back
            error = raised
        finally:
            self._depth -= 1
        if isinstance(error, AssertionError):
            self.violations.append("an assertion failed in a function that the candidate called")
        try:
            self._post({"id": request, "do": "answer", "raise": error and self._raised(error)}, value=value)
        except Refused as refusal:  # the candidate still waits
            self._post({"id": request, "do": "answer", "raise": self._raised(Exception())}, value=None)
            self.violations.append(str(refusal))
        return None if isinstance(error, Exception) else error

    def _raised(self, error: BaseException) -> list[Any]:
        if (own := self.making.number_of(error)) is not None:
            return ["x", own]
        if isinstance(error, StopIteration):
            return self._own_error(error, None)
        number = self.take_number()
        self.raised[number] = error
        try:
            return self._own_error(error, number)
        except Refused:
            return ["q", "builtins", "Exception", ["t", []], number]


def known_kinds(kind: type) -> set[type]:
    """The nearest exceptions of the standard library that a class is of: one of all kinds would be what is expected."""
    known = {base for base in kind.__mro__ if stdlib.name_of(base)} - {object}
    return {base for base in known if not any(other is not base and issubclass(other, base) for other in known)}


def surroundings() -> tuple[str, list[str], dict[str, str]]:
    """What a test can change around the code that it calls, and cannot change for a process elsewhere."""
    environment = dict(os.environ)
    environment.pop("PYTEST_CURRENT_TEST", None)
    environment.pop("PYTEST_VERSION", None)
    return os.getcwd(), list(sys.argv), environment  # noqa: PTH109 - asked before each call
