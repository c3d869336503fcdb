"""Repository evidence as a model reads it: files by path, calls already made, the reproduced failure.

Takes    the text of rendering.py: a heading `### tool name=value ...` before each answer, the failure first.
Gives    an Evidence; a file is known as far as its numbered lines were shown.
Refuses  nothing: what is not recognised is left out.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_HEADING = re.compile(
    r"^### (?P<what>reproduced failure|search_repository|read_file|inspect_symbol)\b(?P<rest>[^\n]*)$", re.MULTILINE
)
_ARGUMENT = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")
_FLAG = re.compile(r" \[(truncated|rejected)\]")
_NUMBERED = re.compile(r"^ *(\d+)(?: ?[|:]|\t|\u2192)(.*)$")
_HIT = re.compile(r"^(?P<path>[^\s:][^:\n]*\.\w+):(?P<line>\d+):", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """One earlier tool call and its answer."""

    tool: str
    arguments: Mapping[str, str]
    output: str
    rejected: bool
    truncated: bool

    @property
    def subject(self) -> str:
        """What was asked about: a path, a name or a query."""
        return next((self.arguments[key] for key in ("path", "name", "query") if key in self.arguments), "")


@dataclass(frozen=True)
class Evidence:
    """The failure text, the calls in order, and the lines that are known of each file, by number."""

    failure: str
    calls: tuple[Call, ...]
    lines: Mapping[str, Mapping[int, str]]

    def source(self, path: str) -> str | None:
        """A file's text when it is known from its first line on without a gap, else None."""
        known = self.lines.get(path, {})
        if not known or set(known) != set(range(1, len(known) + 1)):
            return None
        return "\n".join(known[number] for number in sorted(known)) + "\n"

    @property
    def sources(self) -> dict[str, str]:
        """Every Python file that is known from its start."""
        found = {path: self.source(path) for path in self.lines if path.endswith(".py")}
        return {path: text for path, text in sorted(found.items()) if text is not None}

    @property
    def hits(self) -> tuple[str, ...]:
        """Paths that searches and symbols named, in order, once each."""
        outputs = (call.output for call in self.calls if call.tool != "read_file")
        return tuple(dict.fromkeys(match["path"] for output in outputs for match in _HIT.finditer(output)))


def read_evidence(text: str) -> Evidence:
    """Split the text at its headings; an answer's own lines are numbered or prefixed, so they cannot pass for one."""
    failure = ""
    calls: list[Call] = []
    lines: dict[str, dict[int, str]] = {}
    marks = list(_HEADING.finditer(text))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        output = text[mark.end() : following.start() if following else len(text)].strip("\n")
        if mark["what"] == "reproduced failure":
            failure = failure or output
            continue
        call = _call(mark["what"], mark["rest"], output)
        calls.append(call)
        if call.tool == "read_file" and not call.rejected:
            lines.setdefault(call.subject, {}).update(_numbered(output))
    return Evidence(failure=failure, calls=tuple(calls), lines=lines)


def _call(tool: str, rest: str, output: str) -> Call:
    arguments = dict(_ARGUMENT.findall(_FLAG.sub("", rest).strip()))
    return Call(
        tool=tool, arguments=arguments, output=output, rejected="[rejected]" in rest, truncated="[truncated]" in rest
    )


def _numbered(output: str) -> dict[int, str]:
    found = {
        int(match[1]): match[2] for line in output.split("\n") if (match := _NUMBERED.match(line)) and len(match[1]) < 7
    }
    spaced = all(not line or line.startswith(" ") for line in found.values())
    return {number: line[1:] if spaced else line for number, line in found.items()}
