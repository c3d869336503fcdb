"""The declared surface of the programs: predictors, seed instructions, tools and limits, as plain data.

No DSPy here, so that freeze can fingerprint a program without loading it. Instructions are what an optimizer may
change; everything else on this page is runtime policy and stays as it is for a whole experiment.
"""

from tasks.records.candidate import Candidate
from tasks.records.fingerprint import fingerprint
from tasks.records.tools import LIMITS, Argument, ToolLimits, ToolSpec

INSTRUCTIONS: dict[str, str] = {
    "explore": (
        "Choose the next read-only tool call that helps to find the cause of the issue. "
        "Answer with the tool `finish` when the evidence suffices."
    ),
    "diagnose": (
        "Diagnose a repository issue from bounded evidence. Report the root cause, not only the proximate error."
    ),
    "patch": (
        "Generate a bounded patch for a diagnosed issue as a JSON array of exact-once edits, "
        "or reject explicitly when the evidence does not support one."
    ),
    "interpret": "Explain a failed patch validation and propose the next revision strategy.",
    "revise": (
        "Revise a patch that failed validation, following the revision strategy, "
        "or reject explicitly when no better patch is supported by the evidence."
    ),
}

TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="search_repository",
        arguments=(Argument(name="query", type="string"),),
        description=(
            f"Lines that contain the query, case-insensitively; at most {LIMITS.max_hits} hits as path:line: text."
        ),
    ),
    ToolSpec(
        name="read_file",
        arguments=(
            Argument(name="path", type="string"),
            Argument(name="start_line", type="integer", default=1),
            Argument(name="end_line", type="integer", default=80),
        ),
        description=(
            "Numbered lines of one file by its repository-relative path, from 1; 80 lines from start_line if end_line "
            f"is left out, at most {LIMITS.max_span_lines} lines."
        ),
    ),
    ToolSpec(
        name="inspect_symbol",
        arguments=(Argument(name="name", type="string"),),
        description=(
            "Every definition of a function, class, method, constant or attribute by name (or Class.name), with its "
            "source; the attributes of a class; calls by that name as path:line: call in function."
        ),
    ),
)
FINISH = "finish"


def surface_version(tools: tuple[ToolSpec, ...], limits: ToolLimits) -> str:
    """Fingerprint of tools (names, arguments, types, defaults, descriptions) and their limits."""
    return fingerprint({"tools": [tool.body() for tool in tools], "finish": FINISH, "limits": limits.body()})


def tool_surface_version() -> str:
    """Fingerprint of the declared tools and their limits."""
    return surface_version(TOOLS, LIMITS)


def seed_candidate(program: str) -> Candidate:
    """The program before anybody improved it."""
    return Candidate(program=program, instructions=INSTRUCTIONS)


def described_tools() -> str:
    """The tools as a model reads them."""
    return "\n".join([*(f"- {tool.shown()}" for tool in TOOLS), f"- {FINISH}(): stop exploring."])
