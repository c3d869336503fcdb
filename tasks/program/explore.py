"""The bounded loop over read-only tools.

Our own loop over one dspy.Predict: ReAct loses its tool list when GEPA replaces the instructions, and shows host paths
to the model when a tool raises (facts of DSPy 3.4.1). Here tools are an input field and errors are observations.
"""

from typing import Any

import dspy

from tasks.program.cleaning import MAX_ARGUMENTS, is_argument, spoken
from tasks.program.rendering import evidence_text
from tasks.program.surface import FINISH, TOOLS, described_tools
from tasks.records.attempt import TestReport
from tasks.records.evidence import Observation, ToolCall
from tasks.records.protocols import ToolBox, Workshop

NAMES = frozenset(tool.name for tool in TOOLS)


def explore(
    predict: dspy.Predict,
    issue: str,
    constraints: str,
    reproduction: TestReport,
    workshop: Workshop,
    tool_calls: int,
    observations: list[Observation],
) -> None:
    """Append at most `tool_calls` observations; rejected calls count, so that nonsense is not free."""
    while len(observations) < tool_calls:
        told = predict(
            issue=issue,
            constraints=constraints,
            tools=described_tools(),
            evidence_so_far=evidence_text(reproduction, observations),
            calls_left=tool_calls - len(observations),
        )
        if told.tool.strip() == FINISH:
            return
        observations.append(observe(workshop.tools, told.tool.strip(), told.arguments))


def observe(tools: ToolBox, tool: str, arguments: dict[str, Any]) -> Observation:
    """The answer of one tool call; an unknown tool or an argument that is no fact is a rejected observation.

    What is recorded of a rejected call is short and printable, whatever the model said.
    """
    kept = {spoken(str(name)): value for name, value in list(arguments.items())[:MAX_ARGUMENTS] if is_argument(value)}
    call = ToolCall(tool=spoken(tool), arguments=kept)
    if tool not in NAMES or kept.keys() != arguments.keys():
        reason = f"expected one of {', '.join(sorted(NAMES))}, with string or integer arguments"
        return Observation(call=call, output=reason, truncated=False, status="rejected")
    return tools.call(call)
