"""A failing test as pytest prints it: nodes, frames, the exception, and what an assertion compared.

Takes    any text; pytest's short and long traceback styles are understood.
Gives    a Failure with whatever was found in it.
Refuses  nothing.
"""

import re
from dataclasses import dataclass

_SHORT = re.compile(r"^(?P<path>[^\s:'\"]+\.py):(?P<line>\d+): in (?P<function>[\w<>.]+)", re.MULTILINE)
_LONG = re.compile(r"^(?P<path>[^\s:'\"]+\.py):(?P<line>\d+): ?(?P<function>\w*)\s*$", re.MULTILINE)
_NODE = re.compile(r"(?P<path>[\w./-]+\.py)(?P<names>(?:::\w+)+)")
_EXCEPTION = re.compile(
    r"^(?:E\s+)?(?P<kind>\w*(?:Error|Exception|StopIteration|Exit))(?::\s*(?P<message>.*))?$", re.MULTILINE
)
_ASSERT = re.compile(r"^(?:E\s+)?(?:AssertionError: )?assert (?P<left>.+?) (?:==|is) (?P<right>.+)$", re.MULTILINE)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True)
class Frame:
    """One line of a traceback."""

    path: str
    line: int
    function: str

    @property
    def is_test(self) -> bool:
        return is_test(self.path)


@dataclass(frozen=True)
class Failure:
    """What a failing run says, outermost frame first."""

    text: str
    nodes: tuple[tuple[str, tuple[str, ...]], ...]
    frames: tuple[Frame, ...]
    kind: str
    message: str
    actual: str
    expected: str

    @property
    def test_paths(self) -> tuple[str, ...]:
        """Files with failing tests, in order, once each."""
        named = [path for path, _ in self.nodes] + [frame.path for frame in self.frames]
        return tuple(dict.fromkeys(path for path in named if is_test(path)))

    @property
    def source_frames(self) -> tuple[Frame, ...]:
        """Frames outside of tests, innermost first."""
        return tuple(frame for frame in reversed(self.frames) if not frame.is_test)


def is_test(path: str) -> bool:
    """Whether a path looks like a test's, by pytest's own naming."""
    name = path.rpartition("/")[2]
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py" or path.startswith("tests/")


def read_failure(text: str) -> Failure:
    """The first exception and the first comparison count; nodes and frames are all kept."""
    frames = {(m["path"], int(m["line"])): m["function"] for m in _LONG.finditer(text)}
    frames |= {(m["path"], int(m["line"])): m["function"] for m in _SHORT.finditer(text)}
    exceptions = [match for match in _EXCEPTION.finditer(text) if match["kind"] != "AssertionError"]
    compared = _ASSERT.search(text)
    return Failure(
        text=text,
        nodes=tuple(dict.fromkeys((m["path"], tuple(m["names"].split("::")[1:])) for m in _NODE.finditer(text))),
        frames=tuple(Frame(path, line, function) for (path, line), function in frames.items()),
        kind=exceptions[0]["kind"] if exceptions else ("AssertionError" if compared or "assert" in text else ""),
        message=(exceptions[0]["message"] or "").strip() if exceptions else "",
        actual=compared["left"].strip() if compared else "",
        expected=compared["right"].strip() if compared else "",
    )


def words(text: str) -> frozenset[str]:
    """Identifiers of a text, in lower case."""
    return frozenset(word.lower() for word in _IDENTIFIER.findall(text))
