"""The edit tools as a model sees them: names, arguments, kinds and descriptions, as plain data; no DSPy here.

What is declared says nothing of what is allowed: exposure, policy and approval are three things
(records/permissions.py). No argument names a root, a command, a limit or an approval.
"""

from collections.abc import Collection
from typing import Any

from tasks.records.fingerprint import fingerprint
from tasks.records.permissions import Permission

MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES = 2_000, 30

PERMISSIONS: dict[str, Permission] = {
    "read_file": "read-only",
    "git_diff": "read-only",
    "apply_edit": "mutating",
    "write_file": "mutating",
    "run_tests": "execution",
}

EDIT_TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "read_file",
        "arguments": {"path": "string", "start_line": "integer", "end_line": "integer"},
        "description": "Numbered lines of one file of the working tree, both ends included, lines counted from 1.",
    },
    {
        "name": "apply_edit",
        "arguments": {"path": "string", "old": "string", "new": "string"},
        "description": (
            "Put new in the place of old, which must occur exactly once in a file that was read and has not changed "
            "since; quote it without line numbers."
        ),
    },
    {
        "name": "write_file",
        "arguments": {"path": "string", "content": "string"},
        "description": "Make a new file; one that exists is never overwritten.",
    },
    {
        "name": "git_diff",
        "arguments": {},
        "description": "What has changed in the working tree since the beginning, as a patch.",
    },
    {
        "name": "run_tests",
        "arguments": {},
        "description": "Run the public tests of the case on the working tree.",
    },
)


def edit_surface_version() -> str:
    """Fingerprint of names, arguments, kinds, descriptions and the bounds of an answer."""
    limits = {"max_output_bytes": MAX_OUTPUT_BYTES, "max_output_lines": MAX_OUTPUT_LINES}
    return fingerprint({"tools": EDIT_TOOLS, "permissions": PERMISSIONS, "limits": limits})


def described_edit_tools(exposed: Collection[str] = tuple(PERMISSIONS)) -> str:
    """The exposed tools as a model reads them, one a line."""
    shown = [tool for tool in EDIT_TOOLS if tool["name"] in exposed]
    return "\n".join(f"- {tool['name']}({_arguments(tool)}): {tool['description']}" for tool in shown)


def _arguments(tool: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {kind}" for name, kind in tool["arguments"].items())
