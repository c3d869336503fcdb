"""The walls of a forked run, as a Sandbox for any command: what is attacked cold is attacked here in the same way."""

from dataclasses import replace
from pathlib import Path

from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.environment import base_python, prepare
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.sandbox import Job, Mount

FLAGS = ("-s", "-S", "-P", "-B")
ROOT, SITE, SCRIPT = "/work", "/opt/site-packages", "/opt/script.py"
BECOME = """
import os, sys
if __name__ == "__main__":
    _, site, folder, *argv = sys.argv
    os.chdir(folder)
    os.execve(argv[0], argv, os.environ)
"""


class Forked:
    """Every command replaces a forked interpreter, after that has been confined."""

    tier = "bubblewrap"

    def __init__(self, folder: Path, cold: Bubblewrap) -> None:
        self.site = prepare(folder / "home").site
        self.script, self.tree = folder / "become.py", folder / "tree"
        self.script.write_text(BECOME)
        self.tree.mkdir()
        self.server = ForkServer(cold, (self.script,))

    def run(self, job: Job):
        ended = self.server.run(self._become(job))
        assert self.server.why_cold == ""
        return ended

    def start(self, job: Job):
        running = self.server.start(self._become(job))
        assert self.server.why_cold == ""
        return running

    def _become(self, job: Job):
        own = (Mount(self.tree, ROOT), Mount(self.site, SITE), Mount(self.script, SCRIPT))
        argv = (str(base_python()), *FLAGS, SCRIPT, SITE, job.chdir, *job.argv)
        return replace(job, argv=argv, mounts=(*job.mounts, *own), chdir=ROOT, results_fd=True)
