"""The declared surface of the programs: predictors, seed instructions, tools and limits, as plain data.

No DSPy here, so that freeze can fingerprint a program without loading it. Instructions are what an optimizer may
change; everything else on this page is runtime policy and stays as it is for a whole experiment.
"""

from typing import Any

from tasks.records.candidate import Candidate
from tasks.records.fingerprint import fingerprint

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

MAX_HITS = 20
MAX_SPAN_LINES = 120
MAX_FILE_BYTES = 256_000
MAX_ANSWER_BYTES = 8_000

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "search_repository",
        "arguments": {"query": "string"},
        "description": f"Lines that contain the query, case-insensitively; at most {MAX_HITS} hits as path:line: text.",
    },
    {
        "name": "read_file",
        "arguments": {"path": "string", "start_line": "integer, from 1", "end_line": "integer"},
        "description": f"Numbered lines of one file by its repository-relative path; at most {MAX_SPAN_LINES} lines.",
    },
    {
        "name": "inspect_symbol",
        "arguments": {"name": "string"},
        "description": "Every definition of a function, class, method or constant by name, with its source.",
    },
)
FINISH = "finish"

LIMITS = {
    "max_hits": MAX_HITS,
    "max_span_lines": MAX_SPAN_LINES,
    "max_file_bytes": MAX_FILE_BYTES,
    "max_answer_bytes": MAX_ANSWER_BYTES,
}


def tool_surface_version() -> str:
    """Fingerprint of the declared tools (names, arguments, descriptions) and their limits."""
    return fingerprint({"tools": TOOLS, "finish": FINISH, "limits": LIMITS})


def seed_candidate(program: str) -> Candidate:
    """The program before anybody improved it."""
    return Candidate(program=program, instructions=INSTRUCTIONS)


def described_tools() -> str:
    """The tools as a model reads them."""
    lines = [f"- {tool['name']}({', '.join(tool['arguments'])}): {tool['description']}" for tool in TOOLS]
    return "\n".join([*lines, f"- {FINISH}(): stop exploring."])
