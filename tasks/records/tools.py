"""Tools as data: what a model may call, with which arguments, and how much it may get.

Both sides of the tool boundary take their numbers from here: the surface that is declared to a model (tasks/program)
and the snapshot that answers (tasks/workspace). The upper bounds are part of the type: wider limits cannot be built.
"""

from pydantic import Field

from tasks.records.base import Record


class Argument(Record):
    """One argument of a tool: a "string" or an "integer". `default` is None where it has to be given."""

    name: str
    type: str
    default: str | int | None = None

    def shown(self) -> str:
        """As a model reads it: `start_line: integer = 1`."""
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {self.type}{default}"


class ToolSpec(Record):
    """One tool as it is declared to a model."""

    name: str
    arguments: tuple[Argument, ...]
    description: str

    def shown(self) -> str:
        """As a model reads it."""
        return f"{self.name}({', '.join(argument.shown() for argument in self.arguments)}): {self.description}"


class ToolLimits(Record):
    """Bounds of every answer, of the work behind it, and of what one attempt may get in all.

    Work is bounded in bytes, not by a clock: the same call has the same answer on a slow machine and on a busy one.
    """

    max_hits: int = Field(default=20, ge=1, le=20)
    """Lines that match, definitions, attributes or callers, each."""
    max_span_lines: int = Field(default=120, ge=1, le=120)
    """Lines of one answer."""
    max_line_chars: int = Field(default=300, ge=1, le=300)
    max_file_bytes: int = Field(default=256_000, ge=1, le=256_000)
    """A longer file is listed by its name and neither searched nor read."""
    max_answer_bytes: int = Field(default=8_000, ge=1, le=8_000)
    max_query_chars: int = Field(default=200, ge=1, le=200)
    max_argument_chars: int = Field(default=1_024, ge=1, le=1_024)
    max_searched_bytes: int = Field(default=128_000_000, ge=1, le=128_000_000)
    """Of a repository's text, in path order; a search of them takes some 10 ms, their first reading some seconds."""
    max_parsed_bytes: int = Field(default=2_000_000, ge=1, le=2_000_000)
    """Of the Python files that mention a symbol, in path order; to parse them takes some seconds."""
    max_attempt_bytes: int = Field(default=60_000, ge=1, le=60_000)
    """Answers of one attempt together; a program shows a model no more than this."""


LIMITS = ToolLimits()
