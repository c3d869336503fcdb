"""Ground: a repository to be attacked, and beside it a secret that no tool may ever show.

Takes    an empty folder.
Gives    a Ground: `repo` below an application-bound root, `outside` beside it, and the secret's text, new each time.
Refuses  nothing; what a machine cannot plant raises OSError where it is planted.
"""

import secrets
from pathlib import Path
from typing import NamedTuple

MARK = "boundary-sentinel"
"""What a search for the secret can ask for without knowing it."""
MODULE = "def total(items):\n    return sum(items)\n\n\nclass Basket:\n    limit = 3\n"


class Ground(NamedTuple):
    """One repository and its surroundings."""

    folder: Path
    secret: str

    @property
    def repo(self) -> Path:
        return self.folder / "repo"

    @property
    def outside(self) -> Path:
        """The file that holds the secret: text, and a Python module as well."""
        return self.folder / "outside" / "secret.py"

    @property
    def held(self) -> bytes:
        """What the secret's file says."""
        return f'LEAK = "{MARK} {self.secret}"\n'.encode()


def made(folder: Path) -> Ground:
    """A small repository, and the secret beside it."""
    ground = Ground(folder.resolve(), secrets.token_hex(12))
    (ground.repo / "pkg").mkdir(parents=True)
    (ground.repo / "pkg" / "mod.py").write_text(MODULE)
    (ground.repo / "README.md").write_text("A shop.\n")
    ground.outside.parent.mkdir()
    ground.outside.write_bytes(ground.held)
    return ground
