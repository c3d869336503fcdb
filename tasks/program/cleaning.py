"""What a model says may have no canonical form; evidence must. Odd text is the candidate's own trouble: a score."""

import unicodedata

from tasks.records.tools import LIMITS

MAX_INTEGER = 2**53 - 1
"""Beyond it, JSON numbers of two readers differ (RFC 8785 refuses them)."""


def clean(text: str) -> str:
    """Lone surrogates, which a JSON escape can smuggle past UTF-8, become question marks."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def is_clean(value: object) -> bool:
    """Whether a string or integer can be written down as it is."""
    if isinstance(value, str):
        return clean(value) == value
    return type(value) is int and abs(value) <= MAX_INTEGER


MAX_ARGUMENTS, MAX_NAME_CHARS = 8, 80
ODD = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def _is_odd(character: str) -> bool:
    return character != "\t" and unicodedata.category(character) in ODD


def is_argument(value: object) -> bool:
    """Whether a tool call may carry the value: clean, one line, no control or format character, and short."""
    if isinstance(value, str):
        return type(value) is str and len(value) <= LIMITS.max_argument_chars and not any(map(_is_odd, value))
    return is_clean(value)


def spoken(name: str) -> str:
    """A name that a model made up, short and printable: it must not pass for a heading of evidence."""
    return "".join("?" if _is_odd(character) else character for character in name[:MAX_NAME_CHARS])
