"""The declared tools, answered from a snapshot, within the bytes and calls of one attempt.

Takes    calls that a program makes on a model's behalf.
Gives    an Observation for each.
Refuses  as an observation: a tool or an argument that is not declared, a wrong type, whatever is asked for after the
         attempt's calls or bytes are spent. Raises Damaged, before there is anything to call, if what is offered here
         is not the surface that was declared and frozen.
Not covered  an exception of a tool itself: it is our own fault, never an observation, and propagates.
"""

from collections.abc import Callable, Mapping

from tasks.program.boundary import assert_surface
from tasks.program.surface import TOOLS
from tasks.records.evidence import Observation, ToolCall
from tasks.records.protocols import ToolBox
from tasks.records.tools import LIMITS, ToolLimits, ToolSpec
from tasks.records.tree import SourceTree
from tasks.workspace.calling import Answer, arguments_of
from tasks.workspace.snapshot import Snapshot

OFFERED: tuple[Callable[..., Answer], ...] = (
    Snapshot.search_repository,
    Snapshot.read_file,
    Snapshot.inspect_symbol,
)
_DESCRIPTIONS = {tool.name: tool.description for tool in TOOLS}


def offered(methods: tuple[Callable[..., Answer], ...]) -> tuple[ToolSpec, ...]:
    """What the snapshot's methods really are, read off their signatures; the words are those that a model reads."""
    return tuple(
        ToolSpec(
            name=method.__name__,
            arguments=tuple(arguments_of(method)),
            description=_DESCRIPTIONS.get(method.__name__, ""),
        )
        for method in methods
    )


def assert_our_surface(frozen: str | None = None) -> str:
    """The version of the surface that is offered here. Raises Damaged; see tasks/program/boundary.py."""
    return assert_surface(offered(OFFERED), LIMITS, frozen)


class SnapshotTools:
    """A ToolBox over one tree."""

    def __init__(self, tree: SourceTree, limits: ToolLimits = LIMITS) -> None:
        snapshot = Snapshot(tree, limits)
        assert_surface(offered(OFFERED), snapshot.limits)
        self._tools: Mapping[str, Callable[..., Answer]] = {
            method.__name__: getattr(snapshot, method.__name__) for method in OFFERED
        }

    def call(self, call: ToolCall) -> Observation:
        """The answer to one declared call; anything else is a rejected observation."""
        tool = self._tools.get(call.tool)
        if tool is None:
            return rejection(call, f"expected one of {', '.join(sorted(self._tools))}")
        answer = tool(**call.arguments)
        return Observation(call=call, output=answer.output, truncated=answer.truncated, status=answer.status)


class Budgeted:
    """A ToolBox for one attempt. What is spent is the candidate's own doing: an observation, and no more evidence."""

    def __init__(self, tools: ToolBox, max_calls: int, max_bytes: int = LIMITS.max_attempt_bytes) -> None:
        self._tools, self._calls_left, self._bytes_left = tools, max_calls, max_bytes
        self._max_calls, self._max_bytes = max_calls, max_bytes

    def call(self, call: ToolCall) -> Observation:
        """The answer, while calls and bytes are left; an answer that does not fit spends what is left."""
        self._calls_left -= 1
        if self._calls_left < 0:
            return rejection(call, f"the {self._max_calls} tool calls of this attempt are spent")
        observation = self._tools.call(call)
        self._bytes_left -= len(observation.output.encode())
        if self._bytes_left < 0:
            self._bytes_left = 0
            self._calls_left = 0
            return rejection(call, f"the {self._max_bytes:,} bytes of evidence of this attempt are spent")
        return observation


def rejection(call: ToolCall, reason: str) -> Observation:
    return Observation(call=call, output=reason, truncated=False, status="rejected")
