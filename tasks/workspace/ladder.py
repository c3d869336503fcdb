"""Ladder: the strongest isolation that this machine enforces, found by trying it.

Takes    nothing but the machine, or a tier to insist on.
Gives    a Sandbox whose probe came out right in this process; bubblewrap before Landlock before refusal.
Refuses  to run without isolation, unless the caller says so; the refusal names each tier's trouble and a remedy.
Source   DESIGN.md, "Running and grading code".
"""

import functools
import platform
from collections.abc import Callable

from tasks.records.errors import SandboxUnavailable
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.landlock import Landlock, Unconfined
from tasks.workspace.probe import probe
from tasks.workspace.sandbox import Sandbox, Tier

REMEDY = (
    "install bubblewrap and allow unprivileged user namespaces (Ubuntu: sysctl "
    "kernel.apparmor_restrict_unprivileged_userns=0; Docker: --security-opt seccomp=unconfined), or run as an ordinary "
    "user on Linux 6.12 or newer; sandbox.allow_unsafe = true in the spec runs without isolation, never promotable"
)
TIERS: dict[Tier, Callable[[], Sandbox]] = {"bubblewrap": Bubblewrap, "landlock": Landlock}


@functools.cache
def _proven(tier: Tier) -> Sandbox | str:
    """The tier's sandbox, or why there is none here; found once per process."""
    try:
        sandbox = TIERS[tier]()
        probe(sandbox)
    except SandboxUnavailable as unavailable:
        return " ".join(str(unavailable).split())
    return sandbox


def choose(*, allow_unsafe: bool = False, tier: Tier | None = None) -> Sandbox:
    """The strongest tier that holds here, or exactly `tier`.

    Raises SandboxUnavailable, in one line with the remedy, when none holds and `allow_unsafe` does not allow none.
    """
    if platform.system() != "Linux":
        raise SandboxUnavailable(f"no sandbox on {platform.system()}: run proveout on Linux, or in a Linux container")
    troubles: list[str] = []
    for name in TIERS:
        if tier in (None, name):
            found = _proven(name)
            if not isinstance(found, str):
                return found
            troubles.append(f"{name}: {found}")
    if allow_unsafe and tier in (None, "none"):
        return Unconfined()
    raise SandboxUnavailable(f"no sandbox holds on this machine ({'; '.join(troubles)}); {REMEDY}")
