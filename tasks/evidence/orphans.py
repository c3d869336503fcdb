"""Orphans: tracked runs whose process died before it could end them.

Takes    the tags that say which process opened a run: host, process id, and when that process started.
Gives    whether that process is dead. A process id that was given to another process does not count as alive.
Refuses  to judge another host's runs, and runs without all three tags.
"""

import socket
from collections.abc import Mapping

HOST, PID, STARTED = "proveout.host", "proveout.pid", "proveout.pid_started"
_CLOCK_SECONDS = 2.0  # start times are derived from the boot time, which the kernel corrects now and then


def process_tags() -> dict[str, str]:
    """Who we are."""
    import psutil

    process = psutil.Process()
    return {HOST: socket.gethostname(), PID: str(process.pid), STARTED: f"{process.create_time():.2f}"}


def is_dead(tags: Mapping[str, str]) -> bool:
    """Whether the process that these tags name ran on this host and is gone."""
    import psutil

    if tags.get(HOST) != socket.gethostname():
        return False
    try:
        pid, started = int(tags[PID]), float(tags[STARTED])
    except (KeyError, ValueError):
        return False
    try:
        process = psutil.Process(pid)
        return bool(abs(process.create_time() - started) > _CLOCK_SECONDS or process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False
