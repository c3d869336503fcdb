"""Handles: what stands among the tests for an object that stays with the candidate.

Takes    numbers and classes that the candidate's process announced.
Gives    attributes, calls, items, iteration, arithmetic, each decoded to an exact value or to another handle. Truth is
         asked only of a class that defines it. `in` is decided here, over what iteration yields. `<`, `-` and their
         like are asked between two handles only.
Refuses  by Violation every question to which an object could answer whatever the test would like to hear: `==`, `!=`,
         ordering against a value and distance from one, `startswith` and other tests by name, hash, copy, pickle,
         isinstance and issubclass, `__class__`, subclassing, truth that no class defines; and `__exit__` that swallows
         an exception, or sees an assertion, which it could swallow or turn into an error that the test expects.
Covered  pytest's own look at objects (collection, ids, fixtures) finds no attribute of the candidate's but `__name__`.
Not covered  `is` and `type(x)` cannot be refused: one object has one handle, one class has one type of handle; but that
         a class is one is the candidate's word. A handle for a subclass of str or int is no str or int to C code.
"""

import sys
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from tasks.workspace.separate.answering import SPECIAL
from tasks.workspace.separate.frames import Refused
from tasks.workspace.separate.link import Link
from tasks.workspace.separate.questions import against_a_value, by_name
from tasks.workspace.separate.stdlib import is_builtin_error

T = TypeVar("T")
EXACTLY: dict[str, type] = {
    "__len__": int, "__int__": int, "__index__": int, "__float__": float, "__complex__": complex, "__bytes__": bytes,
}  # fmt: skip
SILENT = frozenset({
    "__eq__", "__ne__", "__hash__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__copy__",
    "__deepcopy__", "__getnewargs__", "__getnewargs_ex__", "__instancecheck__", "__subclasscheck__", "__subclasshook__",
    "__bases__", "__mro__", "__mro_entries__", "__subclasses__", "__init_subclass__", "__lt__", "__le__", "__gt__",
    "__ge__", "__bool__", "__contains__", "__exit__", "__set_name__", "__del__", "__getattribute__",
    "__isabstractmethod__",
})  # fmt: skip
MAX_TYPES = 2_000
OURS = __file__.rpartition("/")[0]


def asked_by_pytest(link: Link | None = None) -> bool:
    """Whether the nearest frame that is neither ours nor the standard library's is one of pytest's, not of a test's."""
    frame: types.FrameType | None = sys._getframe(2)  # noqa: SLF001
    while frame is not None:
        file = frame.f_code.co_filename
        if link is not None and file.endswith("/_pytest/monkeypatch.py"):
            link.violate("the candidate's insides were patched")
        if "/_pytest/" in file or "/pluggy/" in file:
            return True
        if not file.startswith((OURS, sys.base_prefix, "<frozen")):
            return False
        frame = frame.f_back
    return False


def refused(question: str) -> Callable[..., Any]:
    """A method that answers nothing."""

    def ask(self: Any, *_: Any, **__: Any) -> Any:
        __tracebackhide__ = True
        link_of(self).violate(f"an object of the candidate's was asked for its {question}")

    return ask


class HandleType(type):
    """Types of handles. That two are the same is the candidate's word, so they do not compare."""

    def __eq__(cls, other: object) -> bool:
        __tracebackhide__ = True
        if type(other) is HandleType and "_of" in vars(cls) and not asked_by_pytest():
            vars(cls)["_of"].violate("classes of the candidate's were compared")
        return cls is other

    __hash__ = type.__hash__


class Handle(metaclass=HandleType):
    """An object of the candidate's. Each class of theirs has a type of its own below this one.

    Two answers that name the same object make two handles: were they one, a class whose instances are all the same
    object would equal whatever a test expects, because containers compare what is identical without asking.
    """

    __slots__ = ("_link", "_number")

    def __init__(self, link: Link, number: int) -> None:
        LINK.__set__(self, link)
        NUMBER.__set__(self, number)
        link.hold(number)

    def __getattribute__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name == "__class__":
            return type(self) if asked_by_pytest() else refused("class")(self)
        if name in SILENT:
            if asked_by_pytest():
                raise AttributeError(name)
            refused(name)(self)
        if name != "__name__" and asked_by_pytest(link_of(self)):
            raise AttributeError(name)
        if question := by_name(name):
            refused(question)(self)
        return link_of(self).ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        if name.startswith("__"):
            refused(name)(self)
        link_of(self).ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        __tracebackhide__ = True
        link_of(self).ask("del", self, name)

    def __dir__(self) -> Any:
        return link_of(self).ask("dir", self)

    def __str__(self) -> str:
        return exactly(self, str, "str")

    def __repr__(self) -> str:
        return exactly(self, str, "repr")

    def __format__(self, spec: str) -> str:
        return exactly(self, str, "format", spec)

    def __bool__(self) -> bool:
        __tracebackhide__ = True
        if not {"__bool__", "__len__"} & vars(type(self)).keys():
            refused("truth, which its class does not define")(self)
        return exactly(self, bool, "truth")

    def __del__(self) -> None:
        link_of(self).release(NUMBER.__get__(self))

    __hash__ = refused("hash")
    __eq__ = refused("equality")
    __ne__ = refused("equality")
    __reduce__ = refused("state")
    __reduce_ex__ = refused("state")
    __copy__ = refused("copy")
    __deepcopy__ = refused("copy")
    __instancecheck__ = refused("instances")
    __subclasscheck__ = refused("subclasses")
    __mro_entries__ = refused("subclasses")


LINK, NUMBER = Handle.__dict__["_link"], Handle.__dict__["_number"]


def link_of(handle: Handle) -> Link:
    found: Link = LINK.__get__(handle)
    return found


def same(one: Any, other: Any) -> bool:
    """What `is` means in test files: between two objects of the candidate's, or their types, it is refused."""
    __tracebackhide__ = True
    if is_handle(one) and is_handle(other):
        refused("identity")(one)
    return one == other if type(one) is type(other) is HandleType else one is other


def identity(function: Any, *args: Any) -> Any:
    """What a call of `id` means in test files: no two answers are the same object here, whatever they are there."""
    __tracebackhide__ = True
    if function is id and len(args) == 1 and is_handle(args[0]):
        refused("identity")(args[0])
    return function(*args)


def is_handle(value: Any) -> bool:
    return type(type(value)) is HandleType


def exactly(handle: Handle, kind: type[T], do: str, *args: Any) -> T:
    """What only an exact value of that type can answer."""
    __tracebackhide__ = True
    value = link_of(handle).ask(do, handle, *args)
    if type(value) is not kind:
        link_of(handle).violate(f"{do} of an object gave {type(value).__name__}, not {kind.__name__}")
    made: T = value
    return made


def forwarded(name: str) -> Callable[..., Any]:
    """A special method that the candidate's class defines."""

    def ask(self: Handle, *args: Any) -> Any:
        __tracebackhide__ = True
        if name in EXACTLY:
            return exactly(self, EXACTLY[name], "special", name)
        if (question := against_a_value(name)) and not is_handle(args[0]):
            refused(question)(self)
        return link_of(self).ask("special", self, name, *args)

    return ask


def called(self: Handle, /, *args: Any, **kwargs: Any) -> Any:
    __tracebackhide__ = True
    return link_of(self).ask("call", self, *args, **kwargs)


def contains(self: Any, wanted: Any) -> bool:
    """Decided here: an object that says yes to everything would be as good as one that equals everything."""
    __tracebackhide__ = True
    if "__iter__" not in vars(type(self)):
        refused("members, and cannot be iterated")(self)
    return any(each is wanted or each == wanted for each in self)


def left(self: Handle, kind: Any, error: Any, _: Any) -> bool:
    """`__exit__`. Which exception of the test's it was is not for the candidate to know; their own come back."""
    __tracebackhide__ = True
    link = link_of(self)
    if kind is None:
        link.ask("special", self, "__exit__", None, None, None)
        return False
    if not isinstance(error, Exception):
        return False
    known = link.making.number_of(error) is not None
    if isinstance(error, AssertionError) and not known:
        link.violations.append("an assertion failed inside of a block of the candidate's")
    shown = error if known else (kind() if is_builtin_error(kind) else Exception())
    if link.ask("leave", self, shown) is not False:
        link.violate("an object of the candidate's swallowed an exception")
    return False


class Standing:
    """`link.Making` of handles and stand-in exceptions; modules are the importer's business."""

    def __init__(self, modules: dict[str, Any], import_module: Callable[[str], Any]) -> None:
        self.modules, self.module = modules, import_module
        self.types: dict[int, type[Handle]] = {}

    def handle(self, link: Link, number: int, kind: tuple[int, str, tuple[str, ...]]) -> Handle:
        """A new handle."""
        if kind[0] not in self.types:
            if len(self.types) >= MAX_TYPES:
                raise Refused(f"more than {MAX_TYPES} classes")
            self.types[kind[0]] = self._type(link, kind[1], kind[2])
        return self.types[kind[0]](link, number)

    @staticmethod
    def _type(link: Link, name: str, special: tuple[str, ...]) -> type[Handle]:
        other: dict[str, Any] = {"__call__": called, "__contains__": contains, "__exit__": left}
        body = {each: other.get(each) or forwarded(each) for each in special if each in SPECIAL and each != "__bool__"}
        if "__bool__" in special:
            body["__bool__"] = Handle.__bool__
        made: Any = HandleType(name, (Handle,), {**body, "__slots__": (), "__module__": "candidate", "_of": link})
        return made  # type: ignore[no-any-return]

    def number_of(self, value: Any) -> int | None:
        if is_handle(value):
            number: int = NUMBER.__get__(value)
            return number
        if type(value) is ErrorType:
            found = vars(value).get("_number")
            return found if type(found) is int else None
        if isinstance(value, BaseException):
            found = vars(value).get("\0number")
            return found if type(found) is int else None
        return None

    def module_name(self, value: Any) -> str | None:
        return next((name for name, module in self.modules.items() if module is value), None)

    def error_class(self, link: Link, number: int, module: str, name: str, bases: tuple[type, ...]) -> type:
        body = {"__module__": module[:200], "_link": link, "_number": number}
        qualified = name[:200].rpartition(".")[2] or "Error"
        parents = bases if any(type(base) is ErrorType for base in bases) else (ErrorMethods, *bases)
        return ErrorType(qualified, parents, body)

    def error(self, number: int, kind: type, args: tuple[Any, ...], text: str, own: dict[str, Any]) -> Exception:
        """An instance, made without running anything of the candidate's."""
        error = new_error(kind, args)
        error.args = args
        attributes = {name: each for name, each in own.items() if name.isidentifier() and not name.startswith("__")}
        if type(kind) is ErrorType:
            vars(error).update(attributes)
            vars(error)["\0text"] = text
        else:
            for name in {"name", "path", "obj"} & attributes.keys():
                setattr(error, name, attributes[name])
        vars(error)["\0number"] = number
        return error


def new_error(kind: type, args: tuple[Any, ...]) -> Exception:
    """Of a class that may want other arguments than it keeps."""
    made: Any = kind
    if type(kind) is not ErrorType:
        with suppress(Exception):
            return made(*args)  # type: ignore[no-any-return]
    return made.__new__(kind, *args)  # type: ignore[no-any-return]


class ErrorType(type):
    """Classes that stand for the candidate's exception classes: real ones, so that `raises` and `except` know them."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        own = vars(cls)
        if "_link" not in own:  # a class that a test derived
            return super().__call__(*args, **kwargs)
        return own["_link"].ask("call", cls, *args, **kwargs)

    def __getattr__(cls, name: str) -> Any:
        __tracebackhide__ = True
        if name.startswith("__") or asked_by_pytest():
            raise AttributeError(name)
        return vars(cls)["_link"].ask("get", cls, name)


class ErrorMethods:
    """What every stand-in exception can do: show its message, and ask for what is not among its attributes."""

    _link: Link
    _number: int

    def __str__(self) -> str:
        return str(vars(self).get("\0text", ""))

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name.startswith("__") or name in {"_link", "_number"} or asked_by_pytest():
            raise AttributeError(name)
        return type(self)._link.ask("get", self, name)  # noqa: SLF001 - not the instance's: it may have one of its own
