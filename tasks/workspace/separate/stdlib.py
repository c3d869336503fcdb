"""Names of the standard library that cross the wall by name: types, sentinels, exceptions; and for tests, functions.

Takes    an object, or a module and a qualified name.
Gives    the name of the object, or the object of that name, each side its own.
Refuses  (Refused) a name that is not on the list. An exception that steers pytest or unittest is never on it, nor one
         that is no Exception.
"""

import builtins
import sys
from typing import Any

from tasks.workspace.separate.frames import Refused

EXCEPTION_MODULES = frozenset({
    "builtins", "_csv", "argparse", "asyncio.exceptions", "asyncio.queues", "binascii", "concurrent.futures._base",
    "configparser", "copy", "dataclasses", "decimal", "email.errors", "graphlib", "ipaddress", "json.decoder", "locale",
    "netrc", "queue", "_queue", "re", "re._constants", "shutil", "socket", "sqlite3", "statistics", "struct",
    "subprocess", "tarfile", "tomllib", "urllib.error", "uuid", "xml.etree.ElementTree", "zipfile", "zlib", "zoneinfo",
    "zoneinfo._common", "_pickle", "pickle", "enum", "fractions", "http.client", "threading",
})  # fmt: skip
TYPES = (
    "bool", "int", "float", "complex", "str", "bytes", "bytearray", "list", "tuple", "dict", "set", "frozenset",
    "object", "type", "range", "slice",
)  # fmt: skip
VALUE_TYPES = frozenset({
    *(("builtins", name) for name in TYPES), ("decimal", "Decimal"), ("fractions", "Fraction"), ("datetime", "date"),
    ("datetime", "time"), ("datetime", "datetime"), ("datetime", "timedelta"), ("uuid", "UUID"),
    ("collections", "Counter"), ("collections", "OrderedDict"), ("collections", "defaultdict"),
    ("collections", "deque"), ("pathlib", "Path"), ("pathlib", "PosixPath"), ("pathlib", "PurePosixPath"),
})  # fmt: skip
SENTINELS = {
    ("builtins", "Ellipsis"), ("builtins", "NotImplemented"), ("dataclasses", "_FIELD"),
    ("dataclasses", "_FIELD_CLASSVAR"), ("dataclasses", "_FIELD_INITVAR"), ("dataclasses", "MISSING"),
}  # fmt: skip
_ABSENT = object()


def look_up(module: str, qualified: str) -> Any:
    """The object of that name in a module that is loaded; a sentinel of ours when there is none."""
    found: Any = sys.modules.get(module)
    for name in qualified.split("."):
        found = getattr(found, name, _ABSENT)
    return found


def name_of(value: Any) -> tuple[str, str] | None:
    """(module, qualified name) of an exact type, sentinel or exception class that both sides know."""
    for module, name in SENTINELS:
        if look_up(module, name) is value:
            return module, name
    if not isinstance(value, type):
        return None
    known = type.__dict__["__module__"].__get__(value), type.__dict__["__qualname__"].__get__(value)
    return known if _allowed(*known) and look_up(*known) is value else None


def named(module: Any, qualified: Any) -> Any:
    """The object of an allowed name. Raises Refused."""
    if type(module) is not str or type(qualified) is not str:
        raise Refused("a name that is no text")
    if (module, qualified) in SENTINELS or _allowed(module, qualified):
        __import__(module)
        found = look_up(module, qualified)
        if (module, qualified) in SENTINELS | VALUE_TYPES or _is_plain_error(found):
            return found
    raise Refused(f"the name {module[:40]}.{qualified[:40]}")


def _allowed(module: str, qualified: str) -> bool:
    return (module, qualified) in VALUE_TYPES or module in EXCEPTION_MODULES


def _is_plain_error(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, Exception)


def nearest_error(kind: type[BaseException]) -> type[BaseException] | None:
    """The first class of the resolution order that both sides know as an Exception; None for what is no Exception."""
    for base in kind.__mro__:
        if _is_plain_error(base) and name_of(base) is not None:
            return base
    return None


def function_name(value: Any) -> tuple[str, str] | None:
    """(module, qualified name) of any type or function of the standard library: what a test may hand over by name."""
    module, qualified = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if module is None and hasattr(value, "__objclass__"):  # str.upper
        module = value.__objclass__.__module__
    known = isinstance(module, str) and module.partition(".")[0] in sys.stdlib_module_names
    return (str(module), qualified) if known and look_up(str(module), qualified) is value else None


def is_builtin_error(kind: type) -> bool:
    return getattr(builtins, kind.__name__, None) is kind
