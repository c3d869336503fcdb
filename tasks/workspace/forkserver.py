"""Fork server: test runs forked from a warm interpreter, behind the same interface as the cold sandbox.

Takes    a Bubblewrap; then jobs. Those that run one of our scripts over one tree are forked, all others start cold.
Gives    the Ended that the cold sandbox would give, without the start of a launcher, an interpreter and pytest.
Refuses  nothing; where nested namespaces are forbidden it says so once (`why_cold`) and runs everything cold.
Covered      what `bubblewrap` covers, by the same means, for each run apart; see `zygote`. A zygote that broke is
             replaced, and its runs are repeated once; one that grows is retired.
Not covered  what `zygote` says of itself; a tree on another filesystem than the temporary folder is copied, not linked.
Source       DESIGN.md, "Running and grading code".
"""

import functools
import logging
import os
import secrets
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import CodeType
from typing import Self, TypeVar

from tasks.records.errors import SandboxTrouble
from tasks.records.tree import SourceFile
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.forked import Zygote, script_of, tree_of
from tasks.workspace.orders import FOLDER_PREFIX, sources
from tasks.workspace.sandbox import Ended, Job, Limits, Mount, Running, Tier, View
from tasks.workspace.views import own

LOGGER = logging.getLogger(__name__)
RUNNER = Path(__file__).resolve().with_name("runner.py")
MAX_ZYGOTES = 4
MAX_GROWTH_BYTES = 64 << 20
Key = tuple[tuple[str, ...], tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
Made = TypeVar("Made")
# Runs in place of the script, on the way that every later run goes. Each line is an observable of the real thing.
PROBE = """
import os, socket
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
def refused(act):
    try: act()
    except OSError: return True
    return False
checks = {
    "it runs as root": os.getuid() != 0,
    "it sees other processes": {name for name in os.listdir("/proc") if name.isdigit()} == {"1", str(os.getpid())},
    "it has capabilities": not any(int(status[name], 16) for name in ("CapEff", "CapPrm", "CapBnd")),
    "it has no filter": (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2"),
    "it can open a network socket": refused(lambda: socket.socket(socket.AF_INET)),
    "it can read its namespace's first process": refused(lambda: open("/proc/1/environ").read()),
    "it may make namespaces": open("/proc/sys/user/max_user_namespaces").read().strip() == "0",
    "it sees other trees": os.listdir("/tmp") == [],
    "it cannot read its tree": sorted(os.listdir()) == ["added", "shown"],
    "it cannot write to its tree": [open(name, "w").write("own") for name in ("shown", "new")] == [3, 3],
    "it cannot write to its own folder": open("/tmp/own", "w").write("own") == 3,
}
print("; ".join(name for name, right in checks.items() if not right) or "confined")
"""


class ForkServer:
    """A Sandbox that forks where it can. Close it, or use it as a context."""

    tier: Tier = "bubblewrap"

    def __init__(self, cold: Bubblewrap, scripts: tuple[Path, ...] = (RUNNER,)) -> None:
        """Jobs that run one of `scripts` are forked; the word after the script must be the folder with pytest.

        A script is ours, and runs only when its `__name__` is "__main__": otherwise it imports and defines.
        """
        self.cold, self.why_cold = cold, ""
        self._scripts = frozenset(script.resolve() for script in scripts)
        self._folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        self._holds = False
        self._lock = threading.Lock()
        self._zygotes: dict[Key, Zygote] = {}
        self._end = weakref.finalize(self, ended, self._zygotes, self._folder)

    def run(self, job: Job) -> Ended:
        """Fork, if the job is a run of ours. Raises SandboxTrouble when two zygotes broke over it."""
        return again(lambda: self._run(job)) if self._forks(job) else self.cold.run(job)

    def start(self, job: Job) -> Running:
        """The same for a child that stays. One whose zygote breaks later is trouble to whoever waits for it."""
        return again(lambda: self._start(job)) if self._forks(job) else self.cold.start(job)

    def close(self) -> None:
        """End all zygotes; the next run would start one."""
        with self._lock:
            dismissed(self._zygotes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _forks(self, job: Job) -> bool:
        """Raises SandboxTrouble for a mount that is missing: no reason to give up forking."""
        forks = script_source(job) in self._scripts and forkable(job) and not self.why_cold
        if forks:
            sources(job)
        return forks

    def _run(self, job: Job) -> Ended:
        with self._hired(job) as zygote:
            if zygote is None:
                return self.cold.run(job)
            with zygote.linked.shown(tree_of(job)) as tree:
                return zygote.run(job, tree, script_in(job))

    def _start(self, job: Job) -> Running:
        with ExitStack() as held:
            zygote = held.enter_context(self._hired(job))
            if zygote is None:
                return self.cold.start(job)
            tree = held.enter_context(zygote.linked.shown(tree_of(job)))
            return zygote.start(job, tree, script_in(job), held)

    @contextmanager
    def _hired(self, job: Job) -> Iterator[Zygote | None]:
        """A zygote for such jobs, which lives at least as long; None if this machine can have none."""
        zygote = self._hire(job)
        try:
            yield zygote
        except SandboxTrouble:
            if zygote is not None:
                self._dismiss(zygote)
            raise
        finally:
            if zygote is not None:
                if zygote.grown_bytes > MAX_GROWTH_BYTES:
                    self._dismiss(zygote)
                zygote.leave()

    def _hire(self, job: Job) -> Zygote | None:
        key = key_of(job)
        with self._lock:
            zygote = self._zygotes.pop(key, None) or self._proven(job)
            if zygote is not None:
                zygote.enter()
                self._zygotes[key] = zygote  # the latest used is the last
            if len(self._zygotes) > MAX_ZYGOTES:
                self._zygotes.pop(next(iter(self._zygotes))).retire()
        return zygote

    def _dismiss(self, zygote: Zygote) -> None:
        """Never hire it again."""
        with self._lock:
            for key in [key for key, hired in self._zygotes.items() if hired is zygote]:
                del self._zygotes[key]
        zygote.retire()

    def _proven(self, job: Job) -> Zygote | None:
        """A new zygote. The first of all shows whether this machine can have any; a later failure is trouble."""
        if self.why_cold:
            return None
        with ExitStack() as broken:
            try:
                zygote = Zygote(self.cold, job, self._folder / secrets.token_hex(8))
                broken.callback(zygote.retire)
                if not self._holds:
                    self._probe(zygote, job)
            except SandboxTrouble as trouble:
                if self._holds:
                    raise
                self.why_cold = f"no fork server on this machine, every run starts cold: {trouble}"
                LOGGER.warning(self.why_cold)
                return None
            broken.pop_all()
        self._holds = True
        return zygote

    def _probe(self, zygote: Zygote, job: Job) -> None:
        """Raises SandboxTrouble when the zygote's first run does not come out confined."""
        shown = self._folder / "probe"
        shown.mkdir(exist_ok=True)
        (shown / "shown").write_text("")
        own(shown)
        tree = Mount(shown, job.chdir, View((SourceFile(path="added", content=b""),)))
        mounts = (tree, *(mount for mount in job.mounts if mount.target != job.chdir))
        script = compile(PROBE, script_of(job), "exec", dont_inherit=True)
        with zygote.linked.shown(tree) as name:
            ended = zygote.run(replace(job, mounts=mounts, limits=Limits()), name, script)
        if (ended.how, ended.status, ended.stdout) != ("exit", 0, b"confined\n"):
            said = (ended.stdout + ended.stderr)[-300:].decode(errors="replace").strip()
            raise SandboxTrouble(said or f"the probe ended with {ended.how} {ended.status}")


def dismissed(zygotes: dict[Key, Zygote]) -> None:
    """End and forget all of them."""
    while zygotes:
        zygotes.popitem()[1].retire()


def ended(zygotes: dict[Key, Zygote], folder: Path) -> None:
    """What is left to do when nobody holds the server any more."""
    dismissed(zygotes)
    shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def compiled(script: Path, name: str) -> CodeType:
    """The script's code, known as a file of this name where it runs."""
    return compile(script.read_bytes(), name, "exec", dont_inherit=True)


def again(act: Callable[[], Made]) -> Made:
    """Once more, and then in another zygote, when one broke."""
    try:
        return act()
    except SandboxTrouble:
        return act()


def script_source(job: Job) -> Path:
    """The file that the job's interpreter runs; no file when it does not come from a mount."""
    script = PurePosixPath(script_of(job))
    around = [mount for mount in job.mounts if script.is_relative_to(mount.target)]
    nearest = max(around, key=lambda mount: len(mount.target), default=None)
    return (nearest.source / script.relative_to(nearest.target)).resolve() if nearest else Path()


def script_in(job: Job) -> CodeType:
    return compiled(script_source(job), script_of(job))


def forkable(job: Job) -> bool:
    """Whether the job runs over a tree at its working folder, and asks for nothing that a fork does not have."""
    others = [mount for mount in job.mounts if mount.target != job.chdir]
    hidden = [mount for mount in others if mount.target.startswith(("/tmp/", f"{job.chdir}/"))]  # noqa: S108
    wanted = len(others) == len(job.mounts) - 1 and not job.memfd
    return wanted and not hidden and all(mount.view is None for mount in others)


def key_of(job: Job) -> Key:
    """What jobs of one zygote have in common: the interpreter and its flags, its variables, all mounts but the tree."""
    fixed = ((mount.target, os.path.realpath(mount.source)) for mount in job.mounts if mount.target != job.chdir)
    place = job.argv.index(script_of(job)) + 2
    return (*job.argv[:place], job.chdir), tuple(sorted(job.env.items())), tuple(sorted(fixed))
