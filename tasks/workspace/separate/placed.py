"""Placed: our own files as they are shown to the two sandboxes, one folder for each, written once per process.

A file that is shown without its bytecode is compiled anew by every run, because nothing in there may be written. So it
is compiled here, by the interpreter that will run it, and believed without a look at its source.

Takes    nothing.
Gives    a folder that a stranger may read, good until this process ends: the same for every grading, which a warm
         interpreter needs in order to be warm for the next one.
Refuses  nothing.
"""

import functools
import importlib.util
import os
import py_compile
import shutil
import tempfile
import weakref
from pathlib import Path

from tasks.workspace.orders import FOLDER_PREFIX

WORKSPACE, PACKAGE = Path(__file__).parents[1], "tasks/workspace"
"""Our files import each other by the names that they have here."""
TARGET = "/opt/proveout-separate"
ANSWERING = tuple(f"separate/{name}.py" for name in ("__init__", "answering", "codec", "frames", "scalars", "stdlib"))
ORACLE = (
    *ANSWERING,
    *(f"separate/{name}.py" for name in ("link", "handles", "questions", "starred", "material", "oracle")),
    "runner.py",
)
TRUSTED = py_compile.PycInvalidationMode.UNCHECKED_HASH


@functools.cache
def placed(names: tuple[str, ...]) -> Path:
    """Copies of these files of ours, and nothing else."""
    folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    weakref.finalize(placed, _remove, folder, os.getpid())
    shown = folder / "shown"
    for name in names:
        file = shown / PACKAGE / name
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(WORKSPACE / name, file)
        compiled = importlib.util.cache_from_source(str(file))
        py_compile.compile(str(file), compiled, f"{TARGET}/{PACKAGE}/{name}", doraise=True, invalidation_mode=TRUSTED)
    for path in (shown, *shown.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # whatever our umask
    return shown


def script(name: str) -> str:
    """Where a file of ours is for a sandbox that is shown a folder of `placed`."""
    return f"{TARGET}/{PACKAGE}/separate/{name}.py"


def scripts() -> tuple[Path, Path]:
    """Both sides' scripts on our own disk, as a fork server knows them: the candidate's and the tests'."""
    folder = f"{PACKAGE}/separate"
    return placed(ANSWERING) / folder / "answering.py", placed(ORACLE) / folder / "oracle.py"


def _remove(folder: Path, owner_pid: int) -> None:
    if os.getpid() == owner_pid:  # a forked child ends too
        shutil.rmtree(folder, ignore_errors=True)
