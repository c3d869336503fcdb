"""Orphans: runs whose process died before it could end them.

Takes    what says which process opened a run: host, boot, process id, and its start in clock ticks since that boot.
Gives    whether that process is dead. A process id that was given to another process does not count as alive.
Refuses  to judge another host's runs, and runs that do not say whose they are.
Covered  a clock that is set back or forward: no wall clock is read.
"""

import socket
from collections.abc import Mapping
from pathlib import Path

HOST, PID, STARTED = "proveout.host", "proveout.pid", "proveout.pid_started"
_START_FIELD = 19  # of /proc/<pid>/stat, counted after the command's closing parenthesis; see proc(5), starttime


def process_tags() -> dict[str, str]:
    """Who we are."""
    pid = int(Path("/proc/self").readlink().name)
    return {HOST: socket.gethostname(), PID: str(pid), STARTED: f"{_boot()}/{_start_ticks(pid)}"}


def is_dead(tags: Mapping[str, str]) -> bool:
    """Whether the process that these tags name ran on this host and is gone."""
    if tags.get(HOST) != socket.gethostname() or not tags.get(PID, "").isdecimal() or "/" not in tags.get(STARTED, ""):
        return False
    return tags[STARTED] != f"{_boot()}/{_start_ticks(int(tags[PID]))}"


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _start_ticks(pid: int) -> str:
    """Empty for a process that is gone or only waits to be reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] in {"Z", "X"} else fields[_START_FIELD]
