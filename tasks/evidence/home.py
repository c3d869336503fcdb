"""Home: the state folder, `.proveout/` in the working directory unless PROVEOUT_HOME or a caller says otherwise.

Takes    an explicit path, else PROVEOUT_HOME, else `.proveout` below the working directory.
Gives    absolute paths of everything that outlives a process. Created for its owner alone (0700).
Refuses  a place that cannot be created or written, that others can write, or whose path SQLite URIs cannot hold.
Source   DESIGN.md, "One worker, two brokers": the worker has no view of the state folder.
"""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tasks.evidence.files import PRIVATE_FOLDER
from tasks.records.errors import Refusal

VARIABLE = "PROVEOUT_HOME"
FOLDERS = ("objects", "index", "sidecars", "environments", "prefect", "artifacts", "log")
_REMEDY = f"set {VARIABLE} to a folder that you can write"


@dataclass(frozen=True)
class Home:
    """The state folder; `root` is absolute. `Home(root)` touches no disk, `open` makes folders, `found` only looks."""

    root: Path

    @classmethod
    def open(cls, path: str | Path | None = None) -> Self:
        """The state folder, ready for use. Raises Refusal in one line that names the path and the remedy."""
        home = cls(_located(path))
        try:
            _create(home.root)
        except OSError as error:
            reason = error.strerror or str(error)
            raise Refusal(f"state folder {str(home.root)!r} cannot be used: {reason}; {_REMEDY}") from error
        _refuse_open_to_others(home.root)
        return home

    @classmethod
    def found(cls, path: str | Path | None = None) -> Self:
        """A state folder that is there, to be read and not written. Raises Refusal in one line that names the path."""
        home = cls(_located(path))
        if not home.root.is_dir():
            raise Refusal(f"no state folder at {str(home.root)!r}; name one with --home or {VARIABLE}")
        return home

    @property
    def objects(self) -> Path:
        return self.root / "objects"

    @property
    def index(self) -> Path:
        return self.root / "index"

    @property
    def sidecars(self) -> Path:
        return self.root / "sidecars"

    @property
    def environments(self) -> Path:
        return self.root / "environments"

    @property
    def prefect(self) -> Path:
        return self.root / "prefect"

    @property
    def artifacts(self) -> Path:
        return self.root / "artifacts"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def mlflow_db(self) -> Path:
        return self.root / "mlflow.db"

    @property
    def ledger(self) -> Path:
        """The call ledger of the model broker."""
        return self.root / "ledger.sqlite"

    @property
    def looks(self) -> Path:
        """The holdout ledger."""
        return self.root / "looks.sqlite"


def sqlite_uri(path: Path) -> str:
    """The SQLAlchemy URI of an absolute path that `Home` accepted.

    Unquoted: SQLAlchemy 2.1 decodes percent signs and 2.0 does not, and MLflow makes the folder that the text says.
    """
    return f"sqlite:///{path}"


def _located(path: str | Path | None) -> Path:
    chosen = path or os.environ.get(VARIABLE) or ".proveout"
    try:
        located = Path(chosen).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise Refusal(f"state folder {str(chosen)!r} cannot be found: {error}; {_REMEDY}") from error
    if set("?%") & set(str(located)):
        raise Refusal(f"state folder {str(located)!r} has '?' or '%' in its path, which SQLite URIs misread; {_REMEDY}")
    return located


def _create(root: Path) -> None:
    fresh = not root.exists()
    root.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    for name in FOLDERS:
        (root / name).mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    if fresh:  # keeps the folder out of the repository that it may lie in, as a virtual environment does
        (root / ".gitignore").write_text("*\n", encoding="utf-8")
    with tempfile.TemporaryFile(dir=root):
        pass


def _refuse_open_to_others(root: Path) -> None:
    mode = root.stat().st_mode & 0o777
    if mode & 0o002:
        raise Refusal(f"state folder {str(root)!r} can be written by anybody (mode {mode:o}); chmod 700 it")
