"""Host: a machine worth attacking, for as long as a suite runs.

Gives    secrets, listening sockets, an inheritable descriptor, a secret variable, a segment of shared memory, a process
         to kill, and a mount to spoil; all gone afterwards.
Covered      nothing of the real host is at stake: what a probe may spoil was made for it.
"""

import ctypes
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tasks.workspace.orders import SANDBOX_UID, private_folder

SECRET = "PROVEOUT_ATTACK_SECRET"  # noqa: S105 - a name, not a password
SHM_BY_MACHINE = {"x86_64": (29, 31), "aarch64": (194, 195)}
SLEEPER = "import os, sys, time\nif os.getuid() == 0: os.setresuid(*[int(sys.argv[1])] * 3)\ntime.sleep(600)"


@dataclass(frozen=True)
class Host:
    """What probes are told, and the folder that is mounted for them to spoil."""

    target: dict[str, object]
    shown: Path

    def seen_from(self, tier: str) -> str:
        """The target as the probe finds it: only bubblewrap gives mounts a place of their own."""
        return json.dumps({**self.target, "shown": "/shown" if tier == "bubblewrap" else str(self.shown)})


@contextmanager
def _listening(address: str) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as link:
        link.bind(address)
        link.listen(64)
        yield


@contextmanager
def _victim() -> Iterator[int]:
    """A process of the sandbox's own uid, outside of any sandbox."""
    pid = os.posix_spawn(sys.executable, [sys.executable, "-I", "-S", "-c", SLEEPER, str(SANDBOX_UID)], {})
    try:
        yield pid
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


@contextmanager
def _segment() -> Iterator[int]:
    """A System V segment that everybody may read."""
    get, control = SHM_BY_MACHINE.get(os.uname().machine, (0, 0))
    libc, key = ctypes.CDLL(None), 0x7AC0_0000 + os.getpid() % 0xFFFF
    number = libc.syscall(get, key, 4096, 0o1666) if get else -1
    try:
        yield key
    finally:
        if number >= 0:
            libc.syscall(control, number, 0, 0)


@contextmanager
def _left_in(folder: str) -> Iterator[str]:
    """A file that another run left where everybody may read it."""
    with tempfile.NamedTemporaryFile(prefix="proveout-other-", dir=folder) as file:
        Path(file.name).chmod(0o644)
        file.write(b"left here")
        file.flush()
        yield file.name


def _spoilable(folder: Path) -> Path:
    shown = folder / "shown-by-name"
    shown.mkdir(mode=0o755)
    for name in ("file", "doomed", "moving", "owned"):
        (shown / name).write_text("shown")
        (shown / name).chmod(0o644)
    return shown


@contextmanager
def _inherited(path: Path) -> Iterator[None]:
    """A secret in the environment, and a descriptor that every careless child inherits."""
    os.environ[SECRET] = "1"
    number = os.open(path, os.O_RDONLY)
    os.set_inheritable(number, True)
    try:
        yield
    finally:
        os.close(number)
        del os.environ[SECRET]


def interpreter_below(home: Path) -> list[str]:
    """An interpreter below the home is shown, and nothing else of it."""
    prefix = Path(sys.base_prefix)
    return [prefix.relative_to(home).parts[0]] if prefix.is_relative_to(home) else []


@contextmanager
def host() -> Iterator[Host]:
    """Set the machine up and take it down again."""
    with ExitStack() as held:
        folder = held.enter_context(private_folder())
        folder.chmod(0o755)
        for name in ("secret", "sealed", "state"):
            (folder / name).write_text(name)
            (folder / name).chmod(0o644)
        in_tmp, in_shm = (held.enter_context(_left_in(place)) for place in (tempfile.gettempdir(), "/dev/shm"))  # noqa: S108
        shown = _spoilable(folder)
        abstract = f"proveout-attack-{os.getpid()}"
        held.enter_context(_listening(f"\0{abstract}"))
        held.enter_context(_listening(str(folder / "named")))
        (folder / "named").chmod(0o777)
        held.enter_context(_inherited(folder / "secret"))
        target: dict[str, object] = {
            **{name: str(folder / name) for name in ("secret", "sealed", "state", "named")},
            "abstract": abstract, "in_tmp": in_tmp, "in_shm": in_shm, "victim": held.enter_context(_victim()),
            "shm_key": held.enter_context(_segment()), "parent": os.getpid(), "session": os.getsid(0),
            "hostname": os.uname().nodename, "home": str(Path.home()), "interpreter": interpreter_below(Path.home()),
            "groups": os.getgroups(), "shown_name": shown.name, "mounts": [str(Path(sys.base_prefix))],
        }  # fmt: skip
        yield Host(target, shown)
