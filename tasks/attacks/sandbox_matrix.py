"""The sandbox's kill matrix: each defence taken out alone, and the rows that turn red.

Takes    the host, the probes, and what the full tier was seen to block.
Gives    a Killed for each defence: proved alone, or with the other walls that hold without it.
Refuses  a defence that the code no longer has (weakened.Damaged).
Source   DESIGN.md, principle 6.

The denied system calls and the arguments of bubblewrap are read from the code (`bubblewrap_words`), so that a new one
without a row here fails a test.
"""

import os
import resource
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from functools import partial

from tasks.attacks import filters, weakened
from tasks.attacks.filters import MACHINE, denied_calls
from tasks.attacks.host import Host, host
from tasks.attacks.probes import Probe, probes
from tasks.attacks.rows import Killed, Proof
from tasks.attacks.sandbox_suite import Progress, Seen, seen
from tasks.attacks.weakened import Change, JobChange, WeakBubblewrap, WeakLandlock, argument
from tasks.records.errors import SandboxTrouble
from tasks.workspace import confine
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.pipes import Pipes
from tasks.workspace.sandbox import Job, Sandbox


@dataclass(frozen=True)
class Defence:
    """What is taken out, the rows that must see it, and the walls behind it: (name, changes) each.

    `hole` is open while the probes run, for what no order says.
    `moot` says why the account that runs the suite cannot show it, where that is known.
    """

    name: str
    rows: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    behind: tuple[tuple[str, tuple[Change, ...]], ...] = ()
    word: str = ""
    job_change: JobChange | None = None
    leak: bool = False
    hole: Callable[[], AbstractContextManager[None]] = nullcontext
    moot: str = ""


PROVISIONS = {
    "--symlink": "a system folder that is a link", "--proc": "programs read /proc/self", "--dev": "null, zero, urandom",
    "--perms": "the mode of a tmpfs", "--chdir": "where to start", "--": "the end of the options",
    "--unshare-user": "nothing else works without it for an ordinary user",
    "--json-status-fd": "how the end is known", "--hostname": "the name that the uts namespace shows",
}  # fmt: skip


def bubblewrap_words() -> list[str]:
    """Every option that the tier gives to bubblewrap, by name and, where it has one, by place."""
    sandbox = Bubblewrap()
    with Pipes("status", to_child=("first_process",)) as pipes, ExitStack() as held:
        argv = sandbox.order(Job(("/bin/true",)), pipes, held)["argv"]
    found: list[str] = []
    for index, word in enumerate(argv[:-1]):
        if word in {"--tmpfs", "--remount-ro", "--size"}:
            place = argv[index + 5] if word == "--size" else argv[index + 1]
            found.append(f"{word} {place}")
        elif word.startswith("--"):
            found.append(word)
    return list(dict.fromkeys(found))


Wall = tuple[str, tuple[Change, ...]]
NO_CAPABILITIES: dict[str, Wall] = {
    "unix": ("an unprivileged launcher and --cap-drop", (weakened.privileged,)),
    "none": ("a uid of its own", (weakened.own_uid,)),
}
LIMITS = (
    ("core dumps", resource.RLIMIT_CORE, ("core dumps",)),
    ("file size", resource.RLIMIT_FSIZE, ("one huge file",)),
    ("open files", resource.RLIMIT_NOFILE, ("descriptors",)),
    ("CPU time", resource.RLIMIT_CPU, ("burning CPU",)),
    ("memory", resource.RLIMIT_AS, ("memory bomb",)),
)


def common(sockets: confine.Sockets) -> Iterator[Defence]:
    """What both tiers have: limits, the environment, descriptors, the filter's guards and its calls."""
    for limit, kind, rows in LIMITS:
        yield Defence(f"limit on {limit}", rows, (partial(weakened.unlimited, kind),))
    yield Defence("an environment of its own", ("variable of the parent",), (weakened.inherited_environment,))
    yield Defence("no inherited descriptors", ("inherited file descriptors",), leak=True)
    endless: dict[str, object] = {"hard_output_bytes": 1 << 40}
    patient: dict[str, object] = {"wall_seconds": None}
    yield Defence("deadline", ("sleeping past the deadline",), job_change=partial(weakened.limited, patient))
    yield Defence("the end of the whole tree", ("sleeping past the deadline",), hole=weakened.nobody_ends)
    yield Defence("ceiling on output", ("output flood",), job_change=partial(weakened.limited, endless))
    yield Defence("ceiling on results", ("flood of results",), job_change=partial(weakened.limited, endless))
    if not confine.supported(MACHINE):
        return
    families = ("AF_NETLINK socket", "AF_VSOCK socket", "AF_INET stream socket")
    yield Defence("filter: socket families", families, (partial(weakened.without, filters.socket_guard(sockets)),))
    yield Defence(
        "filter: terminal injection", ("terminal injection",), (partial(weakened.without, filters.ioctl_guard()),)
    )
    yield Defence("filter: clone3", ("clone3",), (partial(weakened.without, filters.clone3()),))
    if MACHINE == "x86_64":
        foreign = ("system calls of another architecture",)
        yield Defence("filter: x32 numbers", foreign, (partial(weakened.without, filters.x32()),))
        yield Defence(
            "filter: architecture", ("32-bit system calls",), (partial(weakened.without, filters.architecture()),)
        )
    behind = (NO_CAPABILITIES[sockets],) if os.geteuid() == 0 else ()
    for name, number in denied_calls().items():
        yield Defence(f"filter: {name}", (f"system call {name}",), (weakened.call_allowed(number),), behind)


def of_bubblewrap() -> Iterator[Defence]:
    """The tier's arguments, and what it orders beside them."""
    root, nested = os.geteuid() == 0, ("nested user namespace",)
    yield from common("unix")
    clone = partial(weakened.without, filters.clone_guard())
    userns = ("--disable-userns", (argument("--disable-userns"),))
    yield Defence("filter: namespaces by clone", nested, (clone,), (userns,))
    yield Defence(
        "--disable-userns", nested, (argument("--disable-userns"),), (("the filter's clone guard", (clone,)),),
        word="--disable-userns",
    )  # fmt: skip
    yield Defence("the filter", ("system call keyctl", "AF_NETLINK socket"), (weakened.unfiltered,), word="--seccomp")
    yield Defence("limit on processes", ("fork bomb",), (weakened.many_processes,), word="--block-fd")
    for folder, row in (("/tmp", "fill the temporary folder"), ("/dev/shm", "fill shared memory")):  # noqa: S108
        yield Defence(f"size of {folder}", (row,), (partial(weakened.unsized, folder),), word=f"--size {folder}")
    private = (("/tmp", "files of the host's /tmp"), ("/dev/shm", "host's shared memory"))  # noqa: S108
    for folder, row in private:
        yield Defence(f"a {folder} of its own", (row,), (partial(weakened.shared, folder),), word=f"--tmpfs {folder}")
    for folder, row in (("/dev", "write to /dev"), ("/", "write to the root folder")):
        yield Defence(
            f"read-only {folder}", (row,), (argument("--remount-ro", folder),), word=f"--remount-ro {folder}"
        )  # fmt: skip
    yield Defence("only the mounts are shown", ("read /etc/passwd",), (partial(weakened.shown_too, "/etc"),))
    spoil = ("overwrite a file of a mount", "new file in a mount")
    yield Defence(
        "read-only mounts", spoil, (partial(weakened.writable, "/shown"),),
        (("a uid of its own", (weakened.own_uid,)),), word="--ro-bind",
    )  # fmt: skip
    yield from _namespaces()
    yield Defence(
        "--cap-drop", ("capabilities",), (argument("--cap-drop", "ALL"),),
        (("an unprivileged launcher", (weakened.unprivileged_no_more,)),) if root else (), word="--cap-drop",
        moot="" if root else "bubblewrap drops them by itself for an ordinary user",
    )  # fmt: skip
    yield Defence("--new-session", ("session of the launcher",), (argument("--new-session"),), word="--new-session")
    died = ("tree outlives a killed parent",)
    yield Defence("--die-with-parent", died, (argument("--die-with-parent"),), word="--die-with-parent")
    if root:
        yield Defence("a uid of its own", ("runs as root",), (weakened.own_uid,))


def _namespaces() -> Iterator[Defence]:
    """Each kind of namespace."""
    rows = {
        "net": ("abstract unix socket of the host", "interfaces of the host", "connections of the host"),
        "pid": ("other processes are visible",),
        "ipc": ("host's shared memory by key",),
        "uts": ("name of the host",),
        "cgroup": ("control group of the launcher",),
    }
    for name, seen_by in rows.items():
        behind = (("the filter", (weakened.unfiltered,)),) if name == "ipc" else ()
        yield Defence(f"{name} namespace", seen_by, (partial(weakened.namespaces, name),), behind, word="--unshare-all")


def of_landlock() -> Iterator[Defence]:
    """The ruleset by what it mediates, the filter, and the rest that it orders."""
    yield from common("none")
    yield Defence("the filter", ("system call keyctl", "AF_NETLINK socket"), (weakened.unfiltered,))
    reads = ("read a host file that everybody may read", "read /etc/passwd")
    yield Defence("ruleset: files", reads, (partial(weakened.unscoped, 0),))
    yield Defence(
        "ruleset: abstract sockets and signals", ("signal a process of the same user",),
        (partial(weakened.unscoped, 2),),
    )  # fmt: skip
    net = (("the filter's socket families", (partial(weakened.without, filters.socket_guard("none")),)),)
    yield Defence("ruleset: TCP", ("bind a TCP port",), (partial(weakened.unscoped, 1),), net)
    swept = ("daemon outlives the run", "stalled results")
    yield Defence("a keeper that sweeps", swept, hole=weakened.nobody_sweeps)
    yield Defence("limit on processes", ("fork bomb",), (partial(weakened.unlimited, resource.RLIMIT_NPROC),))
    if os.geteuid() == 0:
        yield Defence("a uid of its own", ("runs as root",), (weakened.own_uid,))
    else:
        spoiled = ("mode of a mounted file", "times of a mounted file", "extended attributes of a mounted file")
        calls = tuple(weakened.call_allowed(number) for number in filters.metadata_calls())
        yield Defence("filter: metadata", spoiled, calls)


def defences(tier: str) -> tuple[Defence, ...]:
    return tuple({"bubblewrap": of_bubblewrap, "landlock": of_landlock}.get(tier, lambda: iter(()))())


def weak(tier: str, defence: Defence, changes: Sequence[Change]) -> Sandbox:
    """The tier without a defence."""
    made = WeakBubblewrap if tier == "bubblewrap" else WeakLandlock
    return made(*changes, job_change=defence.job_change, leak=defence.leak)


def _reached(sandbox: Sandbox, chosen: Sequence[Probe], machine: Host) -> dict[str, Seen]:
    try:
        return seen(sandbox, chosen, machine)
    except SandboxTrouble as trouble:
        return {probe.name: ("unexercised", f"the weakened sandbox does not start: {trouble}") for probe in chosen}


def _red(found: Mapping[str, Seen], full: Mapping[str, Seen]) -> tuple[str, ...]:
    return tuple(name for name, (observed, _) in found.items() if observed == "leaked" and full[name][0] != "leaked")


def kill(tier: str, defence: Defence, full: Mapping[str, Seen]) -> Killed:
    """Take one defence out; if nothing turns red, the walls behind it too, one more at a time."""
    label, found = f"{tier}: {defence.name}", _without(tier, defence, defence.changes)
    if red := _red(found, full):
        return Killed(suite="sandbox", defence=label, rows=red, proof="proved")
    walls: list[str] = []
    others: list[Change] = []
    for name, more in defence.behind:
        walls.append(name)
        others += more
        red = _red(_without(tier, defence, [*defence.changes, *others]), full)
        # Only if the defence holds by itself with everything behind it open: else it was the others that gave way.
        if held := set(red) - set(_red(_without(tier, defence, others), full)) if red else set[str]():
            rows = tuple(sorted(held))
            return Killed(suite="sandbox", defence=label, rows=rows, proof="redundant", redundant_with=tuple(walls))
    note = defence.moot or "; ".join(sorted({words or "blocked" for _, words in found.values()}))
    proof: Proof = "not shown here" if defence.moot or _refused_by_the_host(found) else "not proved"
    return Killed(suite="sandbox", defence=label, rows=(), proof=proof, note=note)


def _without(tier: str, defence: Defence, changes: Sequence[Change]) -> dict[str, Seen]:
    """What the defence's probes reach under some changes, on a fresh host."""
    chosen = [probe for probe in probes() if probe.name in defence.rows]
    with host() as machine, defence.hole():
        return _reached(weak(tier, defence, changes), chosen, machine)


def _refused_by_the_host(found: Mapping[str, Seen]) -> bool:
    """Whether what stopped the probe was the kernel's own lack or rule, and not a wall of ours."""
    words = ("not implemented", "not permitted", "not supported")
    tried = [note for observed, note in found.values() if observed == "blocked"]
    return len(tried) == len(found) > 0 and all(any(word in note for word in words) for note in tried)


def run(tiers: Sequence[str], full: Mapping[str, Mapping[str, Seen]], progress: Progress | None = None) -> list[Killed]:
    """Every defence of every tier."""
    killed: list[Killed] = []
    for tier in tiers:
        mine = defences(tier)
        for number, defence in enumerate(mine, start=1):
            killed.append(kill(tier, defence, full[tier]))
            if progress:
                progress(f"kill matrix, {tier}", number, len(mine))
    return killed
