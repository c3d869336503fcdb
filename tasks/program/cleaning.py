"""What a model says may have no canonical form; evidence must. Odd text is the candidate's own trouble: a score."""

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
