"""Memory: how much a process tree holds, and whether the kernel ran out of it.

Limits of the kernel are of each process; only a memory cgroup would count a tree, and few machines let us have one. So
the tree is looked at a few times a second. An allocation that fails at the limit of its own process is an ordinary
MemoryError; this is about trees that take more in sum, and about the kernel's own last resort.

Takes    the pid at the root of a tree.
Gives    bytes that its processes hold, pages that they share counted once; how many processes the kernel has killed.
Refuses  nothing; a process that is gone, or that we may not look into, counts for what is known of it.
Not covered  what is taken between two looks; files in memory, which are bounded by the size of what they lie in.
Source   proc(5): children, statm, smaps_rollup, vmstat.
"""

import os
from contextlib import suppress
from pathlib import Path

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
GONE = (FileNotFoundError, ProcessLookupError, PermissionError)


def family(root: int) -> list[int]:
    """A process and all its descendants."""
    members = [root]
    for member in members:
        with suppress(*GONE):
            for task in Path(f"/proc/{member}/task").iterdir():
                members += map(int, (task / "children").read_text().split())
    return members


def resident_bytes(pid: int) -> int:
    """Every page that a process has in memory, shared ones in full; cheap."""
    with suppress(*GONE):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    return 0


def proportional_bytes(pid: int) -> int:
    """The same with each page divided by the number of its users; dear."""
    with suppress(*GONE):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return resident_bytes(pid)


def exceeds(root: int, limit_bytes: int) -> bool:
    """Whether a tree holds more than its limit."""
    members = family(root)
    if sum(map(resident_bytes, members)) <= limit_bytes:
        return False
    return sum(map(proportional_bytes, members)) > limit_bytes


def kernel_kills() -> int:
    """How many processes the kernel has killed for want of memory since it started."""
    with suppress(*GONE):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
