"""Questions that an object of the candidate's could answer with whatever the test would like to hear.

Takes    the name of an attribute or of a special method.
Gives    why it is refused, as the end of "an object of the candidate's was asked for its ..."; None if it is not.
Covered  order and distance against a value of the test's (`abs(x - 2.5) < 1e-6` shows 2.5 to whoever computes x - 2.5),
         tests of texts and sets by name, and functions that assert.
Not covered  a function of the candidate's that judges by another name, such as `check` or `verify`.
"""

ORDERINGS = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
DISTANCES = frozenset(
    f"__{side}{name}__"
    for side in ("", "r", "i")
    for name in ("sub", "truediv", "floordiv", "mod", "divmod", "xor", "and", "or")
)
ANSWERED_BY_YES = frozenset({
    "startswith", "endswith", "issubset", "issuperset", "isdisjoint", "is_integer", "isalnum", "isalpha", "isascii",
    "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
    "equals",
})  # fmt: skip


def against_a_value(name: str) -> str | None:
    """Of a special method whose other side is no object of theirs."""
    if name in ORDERINGS:
        return "order against a value"
    return "distance from a value" if name in DISTANCES else None


def by_name(name: str) -> str | None:
    """Of an attribute of an object or a module."""
    if name.lower().startswith("assert"):
        return f"own judgement, {name}"
    return f"answer to {name}" if name in ANSWERED_BY_YES else None
