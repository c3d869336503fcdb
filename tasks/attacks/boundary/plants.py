"""Plants: what a hostile repository may hold so that a tool shows what lies outside, or what is shut in.

Takes    a Ground.
Gives    (name, kind, path, how to plant it) of each; a plant that this machine or user cannot make raises OSError.
"""

import os
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tasks.attacks.boundary.ground import Ground

Planting = Callable[[Ground], None]
SPARSE_BYTES = 1 << 30


class Plant(NamedTuple):
    """`path` is where a model would look for it."""

    name: str
    kind: str
    path: str
    planted: Planting


def plants() -> Iterator[Plant]:
    yield from _links()
    yield from _names()
    yield from _devices()


def _links() -> Iterator[Plant]:
    """Symbolic and hard links to the secret's file or folder."""
    yield Plant("symlink", "link", "pkg/link.py", partial(_symlink, "pkg/link.py", "../../outside/secret.py"))
    yield Plant("symlink at the root", "link", "link.py", partial(_symlink, "link.py", "../outside/secret.py"))
    yield Plant("absolute symlink", "link", "pkg/link.py", lambda g: _symlink("pkg/link.py", str(g.outside), g))
    yield Plant("symlink to a folder", "link", "pkg/out/secret.py", partial(_symlink, "pkg/out", "../../outside"))
    yield Plant(
        "absolute symlink to a folder", "link", "out/secret.py", lambda g: _symlink("out", str(g.outside.parent), g)
    )
    yield Plant("symlink to the parent", "link", "up/outside/secret.py", partial(_symlink, "up", ".."))
    yield Plant("symlink to /", "link", "pkg/all/etc/passwd", partial(_symlink, "pkg/all", "/"))
    yield Plant(
        "symlink to a process", "link", "pkg/environ.py", partial(_symlink, "pkg/environ.py", "/proc/self/environ")
    )
    yield Plant("symlink as a package", "link", "lib/secret.py", partial(_symlink, "lib", "../outside"))
    yield Plant(
        "symlink that the issue names",
        "link",
        "conf.py",
        partial(_symlink, "conf.py", "/proc/self/cwd/../outside/secret.py"),
    )
    for length in (2, 8, 30):
        yield Plant(f"chain of {length} symlinks", "link", "pkg/chain0.py", partial(_chain, length))
    yield Plant("chain through folders", "link", "a/b/secret.py", _through_folders)
    yield Plant("symlink to itself", "link", "pkg/self.py", partial(_symlink, "pkg/self.py", "self.py"))
    yield Plant("symlink to its own folder", "link", "pkg/again/again/mod.py", partial(_symlink, "pkg/again", "."))
    yield Plant("hard link", "link", "pkg/hard.py", partial(_hard, "pkg/hard.py"))
    yield Plant("hard link at the root", "link", "hard.py", partial(_hard, "hard.py"))
    yield Plant("hard link under an innocent name", "link", "pkg/settings.py", partial(_hard, "pkg/settings.py"))
    yield Plant("symlink to a hard link", "link", "pkg/two.py", _to_a_hard_link)


def _names() -> Iterator[Plant]:
    """Files and folders that no tool shows, with the secret in them; case folds and places of them."""
    for path in (
        ".env", ".env.production", ".env.local", ".ENV.PRODUCTION", ".envrc", "pkg/.env", "id_rsa", "id_ed25519",
        "deploy/ID_RSA",
        "tls/server.pem", "tls/server.key", "tls/SERVER.PEM", ".netrc", ".pypirc", ".npmrc", ".git-credentials",
        ".git/config.py",
        ".git/hooks/pre_commit.py", ".GIT/config.py", ".Git/x.py", "pkg/.git/config.py", ".hg/store.py",
        ".svn/wc.py", ".bzr/x.py", ".jj/x.py",
        ".venv/lib/secret.py", "venv/lib/secret.py", "node_modules/left/index.py", "__pycache__/mod.py",
        ".pytest_cache/x.py",
        ".mypy_cache/x.py", ".tox/x.py", ".idea/x.py", ".vscode/x.py", "git~1/config.py", ".git./x.py",
        ".git::$DATA/x.py",
        ".g\u200cit/x.py", "pkg/.env.py\n", "pkg/\u202eyp.tfa", "pkg/\x1b[2K.py", "e\u0301.env", "pkg/a\\b.py",
        "C:x.py",
    ):  # fmt: skip
        yield Plant(f"named {path!r}", "shut in", path, partial(_written, path))
    yield Plant(".git as a file", "shut in", ".git", partial(_written, ".git"))
    yield Plant("a name that is no UTF-8", "shut in", "pkg/\udcff.py", partial(_written, "pkg/\udcff.py"))


def _devices() -> Iterator[Plant]:
    """What hangs, floods or talks when it is opened."""
    yield Plant("FIFO", "device", "pkg/fifo.py", lambda g: os.mkfifo(g.repo / "pkg" / "fifo.py"))
    yield Plant("socket", "device", "pkg/socket.py", _socket)
    yield Plant("null device", "device", "pkg/null.py", partial(_device, "null.py", 3))
    yield Plant("zero device", "device", "pkg/zero.py", partial(_device, "zero.py", 5))
    yield Plant("symlink to a device", "device", "pkg/dev.py", partial(_symlink, "pkg/dev.py", "/dev/zero"))
    yield Plant("symlink to a terminal", "device", "pkg/tty.py", partial(_symlink, "pkg/tty.py", "/dev/tty"))
    yield Plant("symlink to a FIFO", "device", "pkg/to.py", _to_a_fifo)


def _symlink(path: str, target: str, ground: Ground) -> None:
    (ground.repo / path).parent.mkdir(parents=True, exist_ok=True)
    (ground.repo / path).symlink_to(target)


def _hard(path: str, ground: Ground) -> None:
    (ground.repo / path).hardlink_to(ground.outside)


def _chain(length: int, ground: Ground) -> None:
    for number in range(length - 1):
        _symlink(f"pkg/chain{number}.py", f"chain{number + 1}.py", ground)
    _symlink(f"pkg/chain{length - 1}.py", "../../outside/secret.py", ground)


def _through_folders(ground: Ground) -> None:
    _symlink("a", "pkg", ground)
    _symlink("pkg/b", "../../outside", ground)


def _to_a_hard_link(ground: Ground) -> None:
    _hard("pkg/one.py", ground)
    _symlink("pkg/two.py", "one.py", ground)


def _to_a_fifo(ground: Ground) -> None:
    os.mkfifo(ground.folder / "outside" / "fifo")
    _symlink("pkg/to.py", "../../outside/fifo", ground)


def _written(path: str, ground: Ground) -> None:
    file = Path(ground.repo, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(ground.held)


def _socket(ground: Ground) -> None:
    """Bound by a short relative name: a socket's whole path has room for a hundred bytes."""
    with socket.socket(socket.AF_UNIX) as bound:
        folder = os.open(ground.repo / "pkg", os.O_RDONLY | os.O_DIRECTORY)
        try:
            bound.bind(f"/proc/self/fd/{folder}/socket.py")
        finally:
            os.close(folder)


def _device(name: str, minor: int, ground: Ground) -> None:
    os.mknod(ground.repo / "pkg" / name, 0o20644, os.makedev(1, minor))
    os.close(os.open(ground.repo / "pkg" / name, os.O_RDONLY | os.O_NONBLOCK))  # some file systems forbid them
