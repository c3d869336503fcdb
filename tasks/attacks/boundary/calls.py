"""Calls: arguments that no tool has a use for, and files that turn an answer into a flood.

Takes    nothing.
Gives    (name, kind, tool, arguments, how to prepare the repository) of each.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tasks.attacks.boundary.ground import MARK, Ground
from tasks.attacks.boundary.spellings import UP

LONG_LINE_CHARS, WIDE = 200_000, "\u00e9" * 290


class Abuse(NamedTuple):
    """One call that a model may make."""

    name: str
    kind: str
    tool: str
    arguments: dict[str, Any]
    prepared: Callable[[Ground], object] = lambda _: None


VALID: dict[str, dict[str, Any]] = {
    "search_repository": {"query": "total"}, "read_file": {"path": "pkg/mod.py"}, "inspect_symbol": {"name": "total"},
}  # fmt: skip
FIRST = {"search_repository": "query", "read_file": "path", "inspect_symbol": "name"}


def abuses() -> Iterator[Abuse]:
    yield from _wrong_types()
    yield from _more_arguments()
    yield from _other_tools()
    yield from _numbers()
    yield from _floods()


def _wrong_types() -> Iterator[Abuse]:
    wrong: dict[str, Any] = {
        "nothing": None, "a number": 7, "a float": 1.5, "true": True, "a list": [UP], "an object": {"path": UP},
        "NaN": float("nan"),
        "nested": [[[[UP]]]], "a huge number": 10**400, "a half character": "\ud800",
    }  # fmt: skip
    for tool, first in FIRST.items():
        for name, value in wrong.items():
            yield Abuse(f"{first} is {name}", "wrong type", tool, {first: value})


def _more_arguments() -> Iterator[Abuse]:
    for tool, valid in VALID.items():
        for name in ("root", "cwd", "base", "encoding", "self", "follow_symlinks", "__class__", "max_hits"):
            yield Abuse(
                f"also {name}",
                "injected argument",
                tool,
                {**valid, name: "../outside" if name != "max_hits" else 10**9},
            )
        yield Abuse("no arguments", "injected argument", tool, {})
        yield Abuse("the argument in capitals", "injected argument", tool, {FIRST[tool].upper(): UP})


def _other_tools() -> Iterator[Abuse]:
    names = (
        "read_file ", "READ_FILE", "read_file\0", "read-file", "Read_File", "re\u0430d_file", "open", "exec",
        "__init__", "call", "tree",
        "search_repository.read_file", "os.system", "read_file;exec", "list_dir", "write_file", "shell",
        "", "a" * 100_000,
    )  # fmt: skip
    for name in names:
        yield Abuse(f"tool {name[:30]!r}", "tool name", name, {"path": UP})


def _numbers() -> Iterator[Abuse]:
    ranges: dict[str, tuple[Any, Any]] = {
        "zero": (0, 10), "negative": (-5, -1), "backwards": (10, 1), "beyond": (10**18, 10**18 + 5),
        "everything": (1, 10**30),
        "as text": ("1", "2"), "as floats": (1.0, 2.0), "true": (True, True), "not a number": (float("nan"), 5),
        "infinite": (1, float("inf")),
        "lists": ([1], [2]), "nothing": (None, 5),
    }  # fmt: skip
    for name, (first, last) in ranges.items():
        yield Abuse(
            f"lines: {name}", "range", "read_file", {"path": "pkg/mod.py", "start_line": first, "end_line": last}
        )


def _floods() -> Iterator[Abuse]:
    """Each answer has to stay within the declared lines and bytes."""

    def file(name: str, content: str) -> Callable[[Ground], object]:
        return lambda ground: (ground.repo / "pkg" / name).write_text(content)

    long = file("long.py", f"x = '{MARK}{'a' * LONG_LINE_CHARS}'\n")
    many = file("many.py", f"# {MARK} hit\n" * 6_000)
    wide = file("wide.py", f"# {MARK} {WIDE}\n" * 200)
    deep = file("deep.py", f"x = {'(' * 5_000}{')' * 5_000}\n")
    huge = file("body.py", "def total(items):\n" + "    items = items\n" * 9_000)
    bomb = file("bomb.py", f"# {'a' * 200_000}!\n")
    yield Abuse("one line of 200,000 characters, read", "flood", "read_file", {"path": "pkg/long.py"}, long)
    yield Abuse("one line of 200,000 characters, found", "flood", "search_repository", {"query": MARK}, long)
    yield Abuse("6,000 hits", "flood", "search_repository", {"query": MARK}, many)
    yield Abuse("6,000 lines", "flood", "read_file", {"path": "pkg/many.py", "start_line": 1, "end_line": 6_000}, many)
    yield Abuse("wide characters, found", "flood", "search_repository", {"query": MARK}, wide)
    yield Abuse(
        "wide characters, read", "flood", "read_file", {"path": "pkg/wide.py", "start_line": 1, "end_line": 200}, wide
    )
    yield Abuse("a function of 9,000 lines", "flood", "inspect_symbol", {"name": "total"}, huge)
    yield Abuse("brackets 5,000 deep", "flood", "inspect_symbol", {"name": "x"}, deep)
    yield Abuse("a query of every character", "flood", "search_repository", {"query": "a"}, many)
    yield Abuse("a query of a megabyte", "flood", "search_repository", {"query": "a" * 1_000_000}, many)
    yield Abuse("a name of a megabyte", "flood", "inspect_symbol", {"name": "a." * 500_000 + "a"}, many)
    for pattern in ("(a+)+$", "(a|aa)+$", ".*.*.*=.*", "[", "(?P<x>", "\\"):
        yield Abuse(f"pattern {pattern}", "pattern", "search_repository", {"query": pattern}, bomb)
