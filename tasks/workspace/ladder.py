"""Ladder: the strongest isolation that this machine enforces, found by trying it.

Takes    nothing but the machine, or a tier to insist on.
Gives    a Sandbox whose probe came out right in this process; bubblewrap before Landlock before refusal.
Refuses  to run without isolation, unless the caller says so; the refusal names each tier's trouble and a remedy.
Source   DESIGN.md, "Running and grading code".
"""

import functools
import platform
from collections.abc import Callable

from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.environment import base_python
from tasks.workspace.landlock import Landlock, Unconfined
from tasks.workspace.orders import private_folder
from tasks.workspace.sandbox import Job, Limits, Mount, Sandbox, Tier

# Each line is an observable of the real thing; a version string proves nothing.
PROBE = """
import os, socket, sys
secret, shown = sys.argv[1:]
def refused(act):
    try: act()
    except OSError: return True
    return False
checks = {
    "it runs as root": os.getuid() != 0,
    "it can open a network socket": refused(lambda: socket.socket(socket.AF_INET)),
    "it can read files of the host": refused(lambda: open(secret).read()),
    "it can write to what it is shown": refused(lambda: open(shown + "/new", "w")),
    "it cannot read what it is shown": open(shown + "/shown").read() == "shown",
    "it cannot write to its own folder": open(os.environ["TMPDIR"] + "/own", "w").write("own") == 3,
    "it sees the caller's environment": set(os.environ) <= set("PATH HOME TMPDIR LANG TZ PWD USER LOGNAME".split()),
}
print("; ".join(name for name, right in checks.items() if not right) or "confined")
"""
REMEDY = (
    "install bubblewrap and allow unprivileged user namespaces (Ubuntu: sysctl "
    "kernel.apparmor_restrict_unprivileged_userns=0; Docker: --security-opt seccomp=unconfined), or run as an ordinary "
    "user on Linux 6.12 or newer; sandbox.allow_unsafe = true in the spec runs without isolation, never promotable"
)
TIERS: dict[Tier, Callable[[], Sandbox]] = {"bubblewrap": Bubblewrap, "landlock": Landlock}


def probe(sandbox: Sandbox) -> None:
    """Raises SandboxUnavailable when the sandbox does not start or does not hold."""
    with private_folder() as folder:
        (folder / "secret").write_text("secret")
        shown = folder / "shown"
        shown.mkdir(mode=0o755)
        (shown / "shown").write_text("shown")
        for readable in (folder / "secret", shown / "shown"):
            readable.chmod(0o644)
        argv = (str(base_python()), "-I", "-S", "-B", "-c", PROBE, str(folder / "secret"), "/probe")
        try:
            ended = sandbox.run(Job(argv, mounts=(Mount(shown, "/probe"),), limits=Limits(wall_seconds=15)))
        except SandboxTrouble as trouble:
            raise SandboxUnavailable(str(trouble)) from trouble
    if (ended.how, ended.status, ended.stdout) != ("exit", 0, b"confined\n"):
        said = (ended.stdout + ended.stderr).decode(errors="replace").strip()[-300:]
        raise SandboxUnavailable(said or f"the probe ended with {ended.how} {ended.status}")


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
