"""Views: whether this machine lets us mount writable views, and the copy that stands in for one where it does not.

Takes    a mount with a view.
Gives    for `mountable`, a fact about the machine, tried once per process through the launcher itself; for `spread`, a
         private copy of the mount's source with the view's files.
Refuses  a copy that is larger than what may be written to a view.
Source   DESIGN.md, "Running and grading code".
"""

import functools
import os
import subprocess
from pathlib import Path

from tasks.records.errors import SandboxTrouble
from tasks.records.tree import SourceFile
from tasks.workspace import supervise
from tasks.workspace.launch import dress
from tasks.workspace.orders import order, patch, pipes_for, private_folder, uid, views
from tasks.workspace.sandbox import Job, Limits, Mount, View

TRIED = ("/bin/sh", "-c", "cat old new && echo written > old && mkdir made && mv new made && rm old")
FOUND = b"old\nnew\n"


@functools.cache
def mountable() -> bool:
    """Whether the launcher can mount an overlay over a tmpfs here: as root, or inside a user namespace."""
    with private_folder() as folder:
        lower = folder / "lower"
        lower.mkdir(mode=0o755)
        (lower / "old").write_text("old\n")
        own(lower)
        view = View(files=(SourceFile(path="new", content=b"new\n"),))
        job = Job(TRIED, (Mount(lower, "/x", view),))
        with pipes_for(job, stays=False) as pipes:
            made = order(job, pipes, argv=list(job.argv), env={"PATH": "/usr/bin:/bin"}, held=[str(lower)])
            try:
                ended = supervise.run(
                    {**made, "views": views(job), "chdir": str(lower), "kept": True}, pipes, Limits(wall_seconds=5)
                )
            except SandboxTrouble:
                return False
        return (ended.how, ended.status, ended.stdout, (lower / "old").read_text()) == ("exit", 0, FOUND, "old\n")


def spread(mount: Mount, folder: Path, max_bytes: int) -> Path:
    """A copy of the mount's source with its view's files, in a new folder that a stranger may read.

    A file system that can share blocks between files does so. Raises SandboxTrouble when the copy is too large.
    """
    subprocess.run(["/bin/cp", "-R", "--reflink=auto", f"{mount.source}/.", str(folder)], env={}, check=True)
    dress(str(folder), *patch(mount.view or View()))
    size = sum(file.stat().st_size for file in folder.rglob("*"))
    if size > max_bytes:
        raise SandboxTrouble(f"a writable view of {size:,} bytes, of which {max_bytes:,} may be written")
    return folder


def own(folder: Path) -> None:
    """Give a folder and all that lies in it to whoever the sandbox runs as."""
    owner = uid()
    if owner is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner, owner, follow_symlinks=False)
