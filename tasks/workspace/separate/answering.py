"""Answering: the candidate's side. It imports the candidate's code and does with it what the tests ask, one at a time.

It is run by the base interpreter without `site`, in a sandbox that holds the candidate's tree and none of the tests.
Nothing here is trusted by anybody: code under test shares this process and may send whatever it likes. What is right
about this file only makes honest code pass.

Takes    SITE ROOT; requests on PROVEOUT_READ_FD.
Gives    replies on PROVEOUT_WRITE_FD: a value, an exception, a call back into the tests, or `trouble` when an answer
         cannot cross. What was printed since the last reply travels with it, 64 KiB of each stream.
Refuses  calls back from another thread than the one that was asked.
Source   DESIGN.md, "Running and grading code"; grading tier "separate".
"""

import importlib
import io
import os
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

MAX_SAID_BYTES = 1 << 16
MAX_CALLBACK_DEPTH = 50
MAX_CAUSES = 5

if not __package__:  # not imported, but run
    sys.path.insert(0, __file__.rsplit("/", 4)[0])  # pathlib would be a quarter of the start

from tasks.workspace.separate import stdlib  # noqa: E402 - the path was needed first
from tasks.workspace.separate.codec import Codec  # noqa: E402
from tasks.workspace.separate.frames import Closed, Message, Refused, receive, send  # noqa: E402

# What a type may define and a stand-in for its instances then forwards.
OPERATORS = """
        add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv ifloordiv mod rmod imod
        pow rpow ipow matmul rmatmul imatmul and rand iand or ror ior xor rxor ixor lshift rlshift rshift rrshift
        divmod rdivmod neg pos abs invert round trunc floor ceil int float complex index len iter next reversed
        getitem setitem delitem contains call enter exit bool lt le gt ge bytes
"""
SPECIAL = tuple(f"__{name}__" for name in OPERATORS.split())


class Said(io.BytesIO):
    """Head of what was written since it was last taken."""

    def write(self, content: Any) -> int:
        room = MAX_SAID_BYTES - self.tell()
        super().write(bytes(content)[:room])
        return len(content)

    def take(self) -> str:
        content = self.getvalue()
        self.seek(0)
        self.truncate()
        return content.decode(errors="replace")


class TheirError:
    """Mark on an exception that a function of the tests raised: its number over there."""

    def __init__(self, number: int) -> None:
        self.number = number


class Worker(Codec):
    """Objects of the candidate by number, and the loop that serves requests about them."""

    def __init__(self, reader: int, writer: int, root: str) -> None:
        super().__init__(first=2)
        self.reader, self.writer, self.root = reader, writer, root
        self.objects: dict[int, Any] = {}
        self.object_numbers: dict[int, int] = {}
        self.theirs: dict[int, Any] = {}
        self.their_numbers: dict[int, int] = {}
        self.news: dict[str, list[Any]] = {"objects": [], "classes": [], "error_classes": [], "errors": []}
        self.class_numbers: dict[int, int] = {}
        self.kept: list[Any] = []
        self.request = 0
        self.depth = 0
        self.thread = threading.get_ident()
        self.said = (Said(), Said())
        self.streams = tuple(io.TextIOWrapper(said, "utf-8", "replace", write_through=True) for said in self.said)

    # Values that stay here.

    def foreign(self, value: Any) -> list[Any]:
        known = stdlib.name_of(value)
        if known is not None:
            return ["g", *known]
        if id(value) in self.their_numbers:
            return ["o", self.their_numbers[id(value)]]
        kind: type = type(value)
        if isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is value and self._is_ours(value):
            return ["m", value.__name__]
        if issubclass(kind, BaseException):
            return self._error(value)
        if issubclass(kind, type) and issubclass(value, Exception):
            return ["h", self._error_class(value)]
        return ["h", self._object(value)]

    def _is_ours(self, module: Any) -> bool:
        places = [getattr(module, "__file__", None), *list(getattr(module, "__path__", ()))]
        return any(place and str(place).startswith(f"{self.root}/") for place in places)

    def _keep(self, value: Any) -> int:
        number = self.object_numbers[id(value)] = self.take_number()
        self.objects[number] = value
        return number

    def _object(self, value: Any) -> int:
        if id(value) in self.object_numbers:
            return self.object_numbers[id(value)]
        number = self._keep(value)
        self.news["objects"].append([number, self._class(type(value))])
        return number

    def _class(self, kind: type) -> int:
        if id(kind) not in self.class_numbers:
            self.kept.append(kind)
            number = self.class_numbers[id(kind)] = self.take_number()
            defined = {name for base in kind.__mro__ if base is not object for name in vars(base)}
            special = [name for name in SPECIAL if name in defined and getattr(kind, name, None) is not None]
            self.news["classes"].append([number, str(kind.__name__), special])
        return self.class_numbers[id(kind)]

    def _error_class(self, kind: type) -> int:
        if id(kind) in self.object_numbers:
            return self.object_numbers[id(kind)]
        bases = [self._base(base) for base in kind.__bases__ if issubclass(base, BaseException)]
        number = self._keep(kind)
        self.news["error_classes"].append([number, str(kind.__module__), str(kind.__qualname__), bases])
        return number

    def _base(self, base: Any) -> list[Any]:
        known = stdlib.name_of(base)
        return ["g", *known] if known else ["h", self._error_class(base)]

    def _error(self, error: BaseException, causes: int = 0) -> list[Any]:
        if not isinstance(error, Exception):
            raise Refused(f"{type(error).__name__} is not for code under test to raise")
        mark = vars(error).get("\0theirs")
        if type(mark) is TheirError:
            return ["y", mark.number]
        if id(error) in self.object_numbers:
            return ["x", self.object_numbers[id(error)]]
        number = self._keep(error)
        forget_frames(error)
        cause = error.__cause__
        own = {name: each for name, each in vars(error).items() if type(name) is str and name.isidentifier()}
        for name in ("name", "path", "obj") if isinstance(error, ImportError | AttributeError | NameError) else ():
            if type(given := getattr(error, name, None)) is str:
                own[name] = given
        row = [
            number, self._base(type(error)), self.encode(error.args), str(error),
            [[name, self.encode(each)] for name, each in own.items() if not name.startswith("__")],
            self._error(cause, causes + 1) if isinstance(cause, Exception) and causes < MAX_CAUSES else None,
        ]  # fmt: skip
        self.news["errors"].append(row)
        return ["x", number]

    def resolve(self, tag: str, words: list[Any]) -> Any:
        match tag:
            case "h" | "x":
                return self.objects[words[0]]
            case "m":
                return importlib.import_module(words[0])
            case "o" | "it":
                return self._their_function(words[0], iterates=tag == "it")
            case "g":
                __import__(words[0])
                return stdlib.look_up(words[0], words[1])
            case "q":
                return self._their_error(*words)
        return super().resolve(tag, words)

    # Functions and exceptions of the tests.

    def _their_function(self, number: int, *, iterates: bool) -> Any:
        if number not in self.theirs:

            def call(*args: Any, **kwargs: Any) -> Any:
                return self.call_back(number, args, kwargs)

            made: Any = Steps(call) if iterates else call
            self.theirs[number] = made
            self.their_numbers[id(made)] = number
        return self.theirs[number]

    def _their_error(self, module: str, name: str, args: Any, number: int | None) -> BaseException:
        kind = stdlib.named(module, name)
        try:
            error: BaseException = kind(*self.decode(args))
        except Exception:  # noqa: BLE001 - a class that wants other arguments than it keeps
            error = kind.__new__(kind)
        if number is not None:
            vars(error)["\0theirs"] = TheirError(number)
        return error

    def call_back(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Ask the tests' side to call one of its functions; meanwhile answer what it asks in turn."""
        if threading.get_ident() != self.thread or self.depth >= MAX_CALLBACK_DEPTH:
            raise RuntimeError("a function of the tests is called from where it cannot be")
        request = self.request
        self.depth += 1
        try:
            self.reply("call", on=number, args=args, kwargs=tuple(kwargs.items()))
            while (message := self.next_message())["do"] != "answer":
                self.answer(message)
        finally:
            self.depth -= 1
            self.request = request
        if message.get("raise") is not None:
            error = self.decode(message["raise"])
            self.forgotten(message)
            raise error
        value = self.decode(message["value"])
        self.forgotten(message)
        return value

    # Requests.

    def next_message(self) -> Message:
        message = receive(self.reader)
        for number in message["drop"]:
            self.object_numbers.pop(id(self.objects.pop(number, None)), None)
        self.read(message)
        return message

    def serve(self) -> None:
        while True:
            try:
                self.answer(self.next_message())
            except Closed:
                return

    def answer(self, message: Message) -> None:
        self.request = message["id"]
        try:
            value, kind = self.done(message), "value"
        except Closed:
            raise
        except Exception as error:  # noqa: BLE001 - the candidate's, and the test's to judge
            value, kind = error, "raise"
        except BaseException as error:  # noqa: BLE001 - nothing that a test may take for an outcome
            value, kind = f"{type(error).__name__} was raised by the code under test: {error}", "trouble"
        self.request = message["id"]
        self.reply(kind, value=value)

    def done(self, message: Message) -> Any:
        """Do what was asked."""
        on = self.decode(message["on"])
        args, kwargs = self.decode(message["args"]), dict(self.decode(message["kwargs"]))
        self.forgotten(message)
        return DO[message["do"]](on, *args, **kwargs)

    def reply(self, kind: str, **parts: Any) -> None:
        """Send; what cannot be said is trouble, and is said so in few words."""
        try:
            message = self.write(**parts)
            self._post(message, kind)
        except Closed:
            raise
        except BaseException as error:  # noqa: BLE001 - ours or of an object that resists; never the candidate's answer
            self._withdraw()
            self._post({"value": f"{type(error).__name__}: {error}"[:500], "shared": [], "forget": []}, "trouble")

    def _withdraw(self) -> None:
        """Forget every number that was given for a message which is not sent."""
        for name in ("objects", "error_classes", "errors"):
            for number, *_ in self.news[name]:
                self.object_numbers.pop(id(self.objects.pop(number, None)), None)
        fresh = {number for number, *_ in self.news["classes"]}
        self.class_numbers = {kind: number for kind, number in self.class_numbers.items() if number not in fresh}
        for rows in self.news.values():
            rows.clear()

    def _post(self, message: Message, kind: str) -> None:
        for stream in self.streams:
            stream.flush()
        news = {name: list(rows) for name, rows in self.news.items()}
        out, err = (said.take() for said in self.said)
        try:
            send(self.writer, {**message, **news, "id": self.request, "kind": kind, "out": out, "err": err})
        except Refused:
            self.unsent(message)
            raise
        for rows in self.news.values():
            rows.clear()


def forget_frames(error: BaseException | None) -> None:
    """An exception that is kept would keep every argument of every frame that it passed."""
    for _ in range(MAX_CALLBACK_DEPTH):
        if error is not None:
            error.__traceback__ = None
            error = error.__context__


class Steps:
    """An iterator of the tests, asked step by step."""

    def __init__(self, step: Callable[[], Any]) -> None:
        self.step = step

    def __iter__(self) -> "Steps":
        return self

    def __next__(self) -> Any:
        return self.step()


def load(name: str) -> bool:
    """Import; whether it is a package."""
    return hasattr(importlib.import_module(name), "__path__")


def special(on: Any, name: str, *args: Any) -> Any:
    """What the interpreter would do for an operator: ask the type."""
    return getattr(type(on), name)(on, *args)


def public(on: Any) -> list[str]:
    """What `from module import *` takes."""
    return [name for name in vars(on) if not name.startswith("_")]


def call(on: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Positional-only, or an argument called `on` would collide."""
    return on(*args, **kwargs)


def leave(on: Any, error: BaseException) -> bool:
    """`__exit__` with an exception: whether it was swallowed."""
    return bool(type(on).__exit__(on, type(error), error, None))


DO: dict[str, Callable[..., Any]] = {
    "load": load, "call": call, "get": getattr, "set": setattr, "del": delattr, "special": special, "public": public,
    "dir": dir, "str": str, "repr": repr, "format": format, "truth": bool,
    "leave": leave,
}  # fmt: skip


def main(argv: list[str]) -> None:
    site, root = argv[1:]
    numbers = [int(os.environ.pop(name)) for name in ("PROVEOUT_READ_FD", "PROVEOUT_WRITE_FD")]
    worker = Worker(numbers[0], numbers[1], root)
    folders = (f"{root}/src", root)
    sys.path[:] = [folder for folder in folders if os.path.isdir(folder)] + sys.path[1:]  # noqa: PTH112
    sys.path.append(site)
    for name in [name for name in sys.modules if name.partition(".")[0] == "tasks"]:
        del sys.modules[name]  # the candidate may have a package of that name
    sys.argv = ["candidate"]
    sys.stdout, sys.stderr = worker.streams
    worker.request = 0
    worker.reply("value", value="ready")
    worker.serve()
    os._exit(0)  # threads and exit handlers of the candidate have no say any more


if __name__ == "__main__":
    main(sys.argv)
