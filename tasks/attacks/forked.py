"""Forked: the walls of a forked run, as a Sandbox for any command: what is attacked cold is attacked here likewise.

Takes    a Bubblewrap, and an Environment in which a zygote can warm up.
Gives    a Sandbox whose every run is forked from a warm interpreter, confined, and only then replaced by the command.
Refuses  (SandboxTrouble) to run anything cold where the fork server would.
"""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Self

from tasks.records.errors import SandboxTrouble
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.environment import Environment
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.orders import FOLDER_PREFIX
from tasks.workspace.sandbox import Ended, Job, Mount, Running, Tier

FLAGS = ("-s", "-S", "-P", "-B")
ROOT, SITE, SCRIPT = "/work", "/forked/site-packages", "/forked/script.py"  # where no probe looks for the host
BECOME = """
import os, sys
if __name__ == "__main__":
    _, site, folder, *argv = sys.argv
    os.chdir(folder)
    os.execve(argv[0], argv, os.environ)
"""


class Forked:
    """Every command replaces a forked interpreter, after that has been confined. Close it, or use it as a context."""

    tier: Tier = "bubblewrap"

    def __init__(self, cold: Bubblewrap, environment: Environment) -> None:
        self.environment, self.folder = environment, Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        self.folder.chmod(0o755)
        self.script, self.tree = self.folder / "become.py", self.folder / "tree"
        self.script.write_text(BECOME)
        self.script.chmod(0o644)
        self.tree.mkdir(mode=0o755)
        self.server = ForkServer(cold, (self.script,))

    def run(self, job: Job) -> Ended:
        ended = self.server.run(self._become(job))
        self._refuse_cold()
        return ended

    def start(self, job: Job) -> Running:
        running = self.server.start(self._become(job))
        self._refuse_cold()
        return running

    def _become(self, job: Job) -> Job:
        own = (Mount(self.tree, ROOT), Mount(self.environment.site, SITE), Mount(self.script, SCRIPT))
        argv = (str(self.environment.python), *FLAGS, SCRIPT, SITE, job.chdir, *job.argv)
        return replace(job, argv=argv, mounts=(*job.mounts, *own), chdir=ROOT, results_fd=True)

    def _refuse_cold(self) -> None:
        if self.server.why_cold:
            raise SandboxTrouble(self.server.why_cold)

    def close(self) -> None:
        self.server.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __reduce__(self) -> tuple[type[Self], tuple[Bubblewrap, Environment]]:
        """In another process: the same, with a server of its own."""
        return type(self), (self.server.cold, self.environment)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
