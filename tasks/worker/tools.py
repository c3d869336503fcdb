"""The declared tools, answered from a snapshot; what is not declared is not there."""

from collections.abc import Callable

from tasks.program.surface import TOOLS
from tasks.records.evidence import Observation, ToolCall
from tasks.records.tree import SourceTree
from tasks.workspace.snapshot import Answer, Snapshot


class SnapshotTools:
    """A ToolBox over one tree."""

    def __init__(self, tree: SourceTree) -> None:
        snapshot = Snapshot(tree)
        self._tools: dict[str, Callable[..., Answer]] = {
            "search_repository": snapshot.search_repository,
            "read_file": snapshot.read_file,
            "inspect_symbol": snapshot.inspect_symbol,
        }
        self._arguments = {tool["name"]: set(tool["arguments"]) for tool in TOOLS}
        if set(self._tools) != set(self._arguments):
            raise ValueError(f"undeclared tool surface: {sorted(set(self._tools) ^ set(self._arguments))}")

    def call(self, call: ToolCall) -> Observation:
        """The answer to one declared call; anything else is a rejected observation."""
        expected = self._arguments.get(call.tool)
        if expected is None or not set(call.arguments) <= expected:
            wanted = sorted(expected) if expected else sorted(self._arguments)
            return Observation(call=call, output=f"expected {', '.join(wanted)}", truncated=False, status="rejected")
        try:
            answer = self._tools[call.tool](**call.arguments)
        except TypeError:  # a required argument is missing
            reason = f"expected the arguments {', '.join(sorted(expected))}"
            return Observation(call=call, output=reason, truncated=False, status="rejected")
        return Observation(call=call, output=answer.output, truncated=answer.truncated, status=answer.status)
