"""Symbolic: what a whole tree says about one name.

Takes    the text files of a tree, and a name or names joined by dots.
Gives    its definitions, the attributes of the classes among them, and the calls by its last part; in path order.
Refuses  nothing. Only Python files that mention the name are parsed, in path order and as far as `max_parsed_bytes`
         goes; whether any of them is still known from an earlier question changes nothing.
Not covered  names that are not written in ASCII letters where the source says them in a Unicode compatibility form.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tasks.records.tools import ToolLimits
from tasks.records.tree import SourceFile
from tasks.workspace.symbols import CallSite, Definition, Kind, Outline, outline

SUFFIXES = (".py", ".pyi")
MAX_KNOWN_FILES = 512
ATTRIBUTES: dict[Kind, str] = {
    "function": "method", "name": "class variable", "attribute": "instance attribute", "class": "class",
}  # fmt: skip


class About(NamedTuple):
    """What was found, each part with at most `max_hits` entries; `incomplete` if there may be more."""

    definitions: tuple[Definition, ...]
    attributes: tuple[Definition, ...]
    calls: tuple[CallSite, ...]
    incomplete: bool


class Symbols:
    """The Python files of one tree."""

    def __init__(self, texts: Sequence[SourceFile], limits: ToolLimits) -> None:
        self._files = [file for file in texts if file.path.endswith(SUFFIXES)]
        self._limits = limits
        self._outline = lru_cache(maxsize=MAX_KNOWN_FILES)(lambda number: outline(self._files[number]))

    def about(self, name: str) -> About:
        """Everything about `name`, which is in Unicode form NFKC."""
        last = name.rpartition(".")[2]
        numbers, incomplete = self._mentioning(last)
        outlines = [self._outline(number) for number in numbers]
        definitions = [made for each in outlines for made in each.definitions if f".{made.name}".endswith(f".{name}")]
        classes = {(made.path, made.name) for made in definitions if made.kind == "class"}
        attributes = [made for made in _members(outlines) if (made.path, made.name.rpartition(".")[0]) in classes]
        calls = [call for each in outlines for call in each.calls if call.name == last]
        most = self._limits.max_hits
        incomplete = incomplete or max(len(definitions), len(attributes), len(calls)) > most
        return About(tuple(definitions[:most]), tuple(attributes[:most]), tuple(calls[:most]), incomplete)

    def _mentioning(self, word: str) -> tuple[list[int], bool]:
        """Files whose bytes hold the word (any file, if it is not ASCII: its encoding is unknown), within the bound."""
        wanted, left = word.encode() if word.isascii() else b"", self._limits.max_parsed_bytes
        numbers: list[int] = []
        for number, file in enumerate(self._files):
            if wanted in file.content:
                left -= len(file.content)
                if left < 0:
                    return numbers, True
                numbers.append(number)
        return numbers, False


def _members(outlines: Sequence[Outline]) -> Iterator[Definition]:
    return (made for each in outlines for made in each.definitions if "." in made.name)


def attribute_line(made: Definition) -> str:
    return f"{made.path}:{made.first_line}: {ATTRIBUTES[made.kind]} {made.name}"


def call_line(call: CallSite, source: str) -> str:
    return f"{call.path}:{call.line}: call in {call.within or 'the module'}: {source.strip()}"
