"""Scalars: values without identity, each written as a tag and plain text, and read back as exactly its type.

Takes    an instance of exactly one of these types; no subclass of them is meant.
Gives    a list for JSON, and from such a list the value again.
Refuses  integers of more than 65,536 bits; a time zone that is no fixed offset (it has no scalar form).
"""

from collections.abc import Callable
from typing import Any

from tasks.workspace.separate.frames import Refused

EXACT_IN_JSON = 2**53
MAX_INT_BITS = 1 << 16
PATHS = ("PurePosixPath", "PosixPath", "PureWindowsPath")

Written = list[Any]


def write_int(value: int) -> str:
    if value.bit_length() > MAX_INT_BITS:
        raise Refused(f"an integer of {value.bit_length()} bits")
    return hex(value)


def read_int(text: str) -> int:
    if len(text) > MAX_INT_BITS // 4 + 3:
        raise Refused("an integer of too many digits")
    return int(text, 16)


def _moment(value: Any) -> Written | None:
    """A datetime or a time; None if its time zone is not a fixed offset."""
    if value.tzinfo is not None and type(value.tzinfo).__name__ != "timezone":
        return None
    return [value.isoformat(), value.fold]


def _read_moment(name: str) -> Callable[..., Any]:
    def read(text: str, fold: int) -> Any:
        import datetime as dt

        return getattr(dt, name).fromisoformat(text).replace(fold=fold)

    return read


def _read_date(text: str) -> Any:
    import datetime as dt

    return dt.date.fromisoformat(text)


def _read_timedelta(days: int, seconds: int, microseconds: int) -> Any:
    import datetime as dt

    return dt.timedelta(days, seconds, microseconds)


def _read_timezone(days: int, seconds: int, microseconds: int) -> Any:
    import datetime as dt

    return dt.timezone(dt.timedelta(days, seconds, microseconds))


def _timezone(value: Any) -> Written | None:
    offset = value.utcoffset(None)
    named = value.tzname(None) != type(value)(offset).tzname(None)
    return None if named else [offset.days, offset.seconds, offset.microseconds]


def _read_decimal(text: str) -> Any:
    import decimal

    return decimal.Decimal(text)


def _read_fraction(numerator: str, denominator: str) -> Any:
    import fractions

    return fractions.Fraction(read_int(numerator), read_int(denominator))


def _read_uuid(text: str) -> Any:
    import uuid

    return uuid.UUID(text)


def _read_path(name: str) -> Callable[..., Any]:
    def read(text: str) -> Any:
        import pathlib

        return getattr(pathlib, name)(text)

    return read


# (module, name of the type): how it is written, and how it is read. Modules load when they are first needed.
SCALARS: dict[tuple[str, str], tuple[Callable[[Any], Written | None], Callable[..., Any]]] = {
    ("builtins", "float"): (lambda value: [value.hex()], float.fromhex),
    ("builtins", "complex"): (
        lambda value: [value.real.hex(), value.imag.hex()],
        lambda real, imaginary: complex(float.fromhex(real), float.fromhex(imaginary)),
    ),
    ("builtins", "bytes"): (lambda value: [value.hex()], bytes.fromhex),
    ("builtins", "range"): (
        lambda value: [write_int(value.start), write_int(value.stop), write_int(value.step)],
        lambda *words: range(*map(read_int, words)),
    ),
    ("decimal", "Decimal"): (lambda value: [str(value)], _read_decimal),
    ("fractions", "Fraction"): (
        lambda value: [write_int(value.numerator), write_int(value.denominator)],
        _read_fraction,
    ),
    ("datetime", "date"): (lambda value: [value.isoformat()], _read_date),
    ("datetime", "time"): (_moment, _read_moment("time")),
    ("datetime", "datetime"): (_moment, _read_moment("datetime")),
    ("datetime", "timedelta"): (lambda value: [value.days, value.seconds, value.microseconds], _read_timedelta),
    ("datetime", "timezone"): (_timezone, _read_timezone),
    ("uuid", "UUID"): (lambda value: [value.hex], _read_uuid),
    **{("pathlib", name): (lambda value: [str(value)], _read_path(name)) for name in PATHS},
}
