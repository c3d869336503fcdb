"""Copies: the product's judging, copied, with a piece of its source cut out of the copy.

Takes    cuts: a file of tasks/workspace, a text in it, and what stands there without the defence.
Gives    the Parts of the copy; what runs in a sandbox is the copy's, too.
Refuses  (Damaged) a text that the source does not hold exactly once: the defence is not where the matrix believes it.
"""

import importlib
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tasks.attacks.judges import Parts
from tasks.records.errors import Damaged
from tasks.workspace import grading
from tasks.workspace.orders import private_folder

SOURCES = Path(grading.__file__).parent
# What runs here, and not in a sandbox: it imports the copy and not the original.
HERE = (
    "grading", "judging", "doubts", "twinned", "twins", "families", "expectations", "workspaces", "separate.judge",
    "separate.material", "separate.placed",
)  # fmt: skip
IMPORTED = re.compile(r"\btasks\.workspace\.(" + "|".join(map(re.escape, HERE)) + r")\b")


@dataclass(frozen=True)
class Cut:
    """One piece of source, and what stands there without the defence."""

    file: str
    old: str
    new: str


@contextmanager
def without(cuts: Sequence[Cut]) -> Iterator[Parts]:
    """What judges when the cuts are made. Raises Damaged when a text is not there once."""
    with private_folder() as folder:
        folder.chmod(0o755)
        name = f"weakened_{folder.name.replace('-', '_')}"
        shutil.copytree(SOURCES, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path, text in _texts(folder / name, cuts).items():
            path.write_text(text, encoding="utf-8")
        for path in (folder / name).rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        sys.path.append(str(folder))
        try:
            modules = [importlib.import_module(f"{name}.{part}") for part in ("grading", "judging", "twinned")]
        finally:
            sys.path.remove(str(folder))
        try:
            bench, judging, twinned = modules
            yield Parts(bench=bench.Bench, exam=judging.Exam, judge=judging.judge, planned=twinned.planned)
        finally:
            for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == name]:
                del sys.modules[loaded]


def _texts(folder: Path, cuts: Sequence[Cut]) -> dict[Path, str]:
    """What differs from the original, by file."""
    texts = {folder / cut.file: (folder / cut.file).read_text(encoding="utf-8") for cut in cuts}
    for cut in cuts:
        found = texts[folder / cut.file].count(cut.old)
        if found != 1:
            raise Damaged(f"{cut.file} holds {cut.old!r} {found} times, expected once")
        texts[folder / cut.file] = texts[folder / cut.file].replace(cut.old, cut.new)
    for module in HERE:
        path = folder / f"{module.replace('.', '/')}.py"
        text = texts.get(path) or path.read_text(encoding="utf-8")
        text = text.replace("from tasks.workspace import ", f"from {folder.name} import ")
        texts[path] = IMPORTED.sub(rf"{folder.name}.\1", text)
    return texts
