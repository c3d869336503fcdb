"""The product's own boundary, put together as a run does: the walk, the tools over what it read, the exploring program.

Takes    a repository's folder.
Gives    an Opened for the suite: what a model reads, and everything that was read.
Refuses  what ingest refuses.
"""

from pathlib import Path
from typing import Any

from tasks.program.explore import observe
from tasks.worker.tools import SnapshotTools
from tasks.workspace.ingest import survey


class Product:
    """One repository, read once."""

    def __init__(self, root: Path) -> None:
        self._tree = survey(root).tree
        self._tools = SnapshotTools(self._tree)

    def answer(self, tool: str, arguments: dict[str, Any]) -> str:
        """What the program hands to a model for what the model said."""
        return observe(self._tools, tool, arguments).output

    def everything(self) -> str:
        return "\n".join(f"{file.path}: {file.text}" for file in self._tree.files)
