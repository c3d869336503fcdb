"""Launch: the small process that gives up every privilege and then becomes the sandbox.

It runs by itself (`python -I -S -B launch.py`, order on fd 0), because the parent has threads and nothing is safe
between fork and exec there. It imports next to nothing: the order is marshal and not JSON because `import json` costs
8 ms of a 20 ms start, and both ends are one interpreter.

Takes    an Order on fd 0; fds 1, 2 and those that the order names.
Gives    exec of the order's argv; on the status fd what became of it.
Refuses  a source that the unprivileged uid cannot reach, a limit or a filter that the kernel will not take.
Covered  uid, groups, inherited environment and fds, rlimits, core dumps, sources below closed folders, a dead parent;
         writable views of folders, whose writes go to memory of a declared size and are gone with this mount namespace.
Source   DESIGN.md, "Running and grading code".
"""

# pathlib and contextlib would double the start.
# ruff: noqa: PTH102, PTH103, PTH110, PTH116, PTH120, PTH123, PTH208, SIM105
import ctypes
import marshal
import os
import resource
import stat
import sys
from typing import Any, NoReturn

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 38, 36
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
ADDR_NO_RANDOMIZE = 0x0040000
SIGKILL, SIGTERM = 9, 15
SYS_SECCOMP_BY_MACHINE = {"x86_64": 317, "aarch64": 277}
SYS_LANDLOCK_CREATE, SYS_LANDLOCK_ADD, SYS_LANDLOCK_RESTRICT = 444, 445, 446
TROUBLE_STATUS = 125

Order = dict[str, Any]


def check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    arguments = (source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), data.encode())
    check(LIBC.mount(*arguments), f"mount {target}")


def closed_ancestor(path: str) -> str | None:
    """The topmost folder above `path` that a stranger may not pass through."""
    parts = path.split("/")
    ancestors = ["/".join(parts[:depth]) or "/" for depth in range(1, len(parts))]
    return next((folder for folder in ancestors if not os.stat(folder).st_mode & stat.S_IXOTH), None)


def own_mounts() -> None:
    """A mount namespace of our own; for an ordinary user inside a user namespace in which it stays who it is."""
    uid, gid = os.geteuid(), os.getegid()
    check(LIBC.unshare(CLONE_NEWNS | (CLONE_NEWUSER if uid else 0)), "a mount namespace")
    maps = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"} if uid else {}
    for name, line in maps.items():
        with open(f"/proc/self/{name}", "w", encoding="ascii") as written:
            written.write(line)
    mount("none", "/", "none", MS_REC | MS_PRIVATE)


def expose(sources: list[str]) -> None:
    """Make each source reachable at its own path for a uid that owns nothing, in a mount namespace of our own.

    A closed folder on the way (a home at mode 0700) is covered by an empty one that holds nothing but the sources.
    """
    for source in sources:
        if not os.stat(source).st_mode & stat.S_IROTH:
            raise PermissionError(f"{source} cannot be read by the unprivileged uid of the sandbox")
    closed = {source: closed_ancestor(source) for source in sources}
    if not any(closed.values()):
        return
    own_mounts()
    held = {source: os.open(source, os.O_PATH | os.O_CLOEXEC) for source in sources if closed[source]}
    for folder in sorted({folder for folder in closed.values() if folder}):
        mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    for source, held_fd in sorted(held.items()):
        if os.path.exists(source):  # already there, inside another source
            continue
        if stat.S_ISDIR(os.fstat(held_fd).st_mode):
            os.makedirs(source)
        else:
            os.makedirs(os.path.dirname(source), exist_ok=True)
            os.close(os.open(source, os.O_CREAT | os.O_WRONLY, 0o644))
        mount(f"/proc/self/fd/{held_fd}", source, "none", MS_BIND | MS_REC)


def cover(view: dict[str, Any], owner: int) -> None:
    """Cover a folder by a view of itself that `owner` may write: what is written goes to a tmpfs of declared size.

    The tmpfs hides the folder and is hidden in turn by the overlay, so that neither can be reached by a path; an empty
    folder needs no overlay. Paths go through file descriptors, because overlay options know no safe quoting.
    """
    place, size = view["place"], f"size={view['bytes']},nr_inodes={view['inodes']}"
    lower, empty = os.open(place, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC), not os.listdir(place)
    mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, f"{size},mode=755,uid={owner},gid={owner}")
    if empty:
        return
    held = os.open(place, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in ("upper", "work"):
        os.mkdir(f"{place}/{name}")
        os.chown(f"{place}/{name}", owner, -1)
    layers = f"lowerdir=/proc/self/fd/{lower},upperdir=/proc/self/fd/{held}/upper,workdir=/proc/self/fd/{held}/work"
    # Without root, overlayfs may only keep its notes in user.* attributes.
    mount("overlay", place, "overlay", MS_NOSUID | MS_NODEV, layers + (",userxattr" if os.geteuid() else ""))


def dress(place: str, files: list[tuple[str, int, bytes]], gone: list[str]) -> None:
    """Remove and write files below a writable folder that holds regular files and folders alone.

    Runs as whoever will own them. A folder to remove ends in a slash, and comes after what lies in it.
    """
    for path in gone:
        (os.rmdir if path.endswith("/") else os.unlink)(f"{place}/{path}")
    for path, mode, content in files:
        target = f"{place}/{path}"
        os.makedirs(os.path.dirname(target), exist_ok=True)
        written = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        left = memoryview(content)
        while left:
            left = left[os.write(written, left) :]
        os.fchmod(written, mode)
        os.close(written)


def drop(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def bind_life_to(parent: int, signal_number: int) -> None:
    """Die with the parent. After the uid changes, because that clears the setting."""
    check(LIBC.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "PR_SET_PDEATHSIG")
    if os.getppid() != parent:
        os._exit(TROUBLE_STATUS)


def limit(rlimits: list[tuple[int, int, int]]) -> None:
    for kind, soft, hard in rlimits:
        ceiling = resource.getrlimit(kind)[1]
        hard = hard if ceiling == resource.RLIM_INFINITY else min(hard, ceiling)  # noqa: PLW2901
        resource.setrlimit(kind, (min(soft, hard), hard))


def steady() -> None:
    """Be first to go when memory runs out; keep addresses equal between runs, or sets of objects would change order.

    The second is a wish: container filters refuse it, and nothing but repeatability is lost.
    """
    LIBC.personality(ctypes.c_ulong(ADDR_NO_RANDOMIZE))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")


def restrict(attributes: bytes, rules: list[tuple[str, int, int]]) -> None:
    """Enter a Landlock domain; a rule whose path is missing grants nothing."""
    ruleset = check(
        LIBC.syscall(SYS_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0), "landlock_create_ruleset"
    )
    for path, on_folder, on_file in rules:
        if not os.path.exists(path):
            continue
        path_fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        access = on_folder if stat.S_ISDIR(os.fstat(path_fd).st_mode) else on_file
        rule = access.to_bytes(8, sys.byteorder) + path_fd.to_bytes(4, sys.byteorder)
        check(LIBC.syscall(SYS_LANDLOCK_ADD, ruleset, 1, rule, 0), f"landlock_add_rule {path}")
        os.close(path_fd)
    check(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS")
    check(LIBC.syscall(SYS_LANDLOCK_RESTRICT, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def sieve(program: bytes) -> None:
    """Load a seccomp filter for this process and all that it will start."""
    check(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS")
    loaded = Program(len(program) // 8, program)
    number = SYS_SECCOMP_BY_MACHINE[os.uname().machine]
    check(LIBC.syscall(number, 1, 0, ctypes.byref(loaded)), "seccomp")


def report(order: Order, line: str) -> None:
    os.write(order["status_fd"], line.encode(errors="replace") + b"\n")


def limiter(order: Order) -> int:
    """Fork a helper that limits the namespace's processes from outside, once told the first; gives the fd to block on.

    Inside, the count is of this sandbox alone. Set here it would be of every process of the uid. The parent may not set
    it: root without CAP_SYS_RESOURCE (a container) has to be of the same uid, and this helper is.
    """
    launcher, (block_fd, release_fd) = os.getpid(), os.pipe()
    os.set_inheritable(block_fd, True)
    if os.fork():
        os.close(release_fd)
        os.close(order["first_process_fd"])
        return block_fd
    try:
        bind_life_to(launcher, SIGKILL)
        if first := os.read(order["first_process_fd"], 32):
            resource.prlimit(int(first), resource.RLIMIT_NPROC, (order["processes"], order["processes"]))
            report(order, '{"released": true}')
            os.write(release_fd, b"1")
    except BaseException as error:  # noqa: BLE001 - told on the status fd, judged by the parent
        report(order, f"trouble: the limit on processes: {error}")
    os._exit(0)


def bubblewrap_words(order: Order) -> list[str]:
    """What bubblewrap takes by number: its filter, and the pipe that it waits on before it runs anything."""
    filter_fd = os.memfd_create("filter", 0)
    os.write(filter_fd, order["filter"])
    os.lseek(filter_fd, 0, os.SEEK_SET)
    return ["--seccomp", str(filter_fd), "--block-fd", str(limiter(order))]


def become(argv: list[str], env: dict[str, str]) -> NoReturn:
    """Replace this process by a command."""
    os.execve(argv[0], argv, env)  # noqa: S606 - becoming it is the point


def confined_child(order: Order, keeper: int, broken_fd: int) -> NoReturn:
    """The keeper's child: a session of its own, then every restriction, then the command."""
    try:
        os.setsid()
        os.close(order["status_fd"])
        if order["uid"] is not None:
            drop(order["uid"])
        for view in order["views"]:
            dress(view["place"], view["files"], view["gone"])
        os.chdir(order["chdir"])
        bind_life_to(keeper, SIGKILL)
        limit(order["rlimits"])
        if order["ruleset"] is not None:
            restrict(*order["ruleset"])
        if order["filter"] is not None:
            sieve(order["filter"])
        become(order["argv"], order["env"])
    except BaseException as error:  # noqa: BLE001 - after fork there is nobody above to tell
        os.write(broken_fd, f"{order['argv'][0]}: {error}".encode())
    os._exit(TROUBLE_STATUS)


def children_by_parent() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as line:
                parent = int(line.read().rpartition(b")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        found.setdefault(parent, []).append(int(name))
    return found


def descendants() -> list[int]:
    family, tree = [os.getpid()], children_by_parent()
    for member in family:
        family += tree.get(member, [])
    return family[1:]


def sweep() -> None:
    """Kill and reap all that is left below us; orphans come to us because we are their subreaper.

    Everybody is stopped before anybody is killed, so that a fork cannot outrun the list.
    """
    import signal

    while members := descendants():
        for member in members:
            kill(member, signal.SIGSTOP)
        for member in members:
            kill(member, signal.SIGKILL)
        while reap() is not None:
            pass


def kill(pid: int, signal_number: int) -> None:
    try:
        os.kill(pid, signal_number)
    except ProcessLookupError:
        pass


def reap() -> tuple[int, int] | None:
    """One dead child, if there is one."""
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, status) if pid else None


def keep(order: Order) -> NoReturn:
    """Stand in for the PID namespace that this tier does not have: run one child, then leave nothing of it behind."""
    import signal

    check(LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "PR_SET_CHILD_SUBREAPER")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
    broken_read, broken_write = os.pipe()
    keeper, leader = os.getpid(), os.fork()
    if leader == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGCHLD})
        confined_child(order, keeper, broken_write)
    os.close(broken_write)
    for handed_on in order["handed_on"]:  # or the pipes would never report their end
        os.close(handed_on)
    if broken := os.read(broken_read, 4096):
        report(order, f"trouble: {broken.decode(errors='replace')}")
        sweep()
        os._exit(TROUBLE_STATUS)
    report(order, '{"keeper": true}')
    while signal.sigwait({signal.SIGTERM, signal.SIGCHLD}) == signal.SIGCHLD:
        while (dead := reap()) is not None:
            if dead[0] != leader:
                continue
            code = os.waitstatus_to_exitcode(dead[1])
            sweep()
            report(order, f'{{"exit-code": {code}}}' if code >= 0 else f'{{"signal": {-code}}}')
            os._exit(0)
    sweep()
    os._exit(0)


def main() -> None:
    with open(0, "rb", closefd=False) as stdin:
        order: Order = marshal.loads(stdin.read())  # noqa: S302 - written by our own parent, one interpreter
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.umask(0o022)
        os.chdir("/")
        if order["views"]:
            own_mounts()
        if order["uid"] is not None:
            expose(order["sources"])
        for view in order["views"]:
            cover(view, os.geteuid() if order["uid"] is None else order["uid"])
        steady()
        if order["kept"]:
            bind_life_to(order["parent"], SIGTERM)
            keep(order)
        if order["uid"] is not None:
            drop(order["uid"])
        for view in order["views"]:
            dress(view["place"], view["files"], view["gone"])
        bind_life_to(order["parent"], SIGKILL)
        limit(order["rlimits"])
        program, *words = order["argv"]
        become([program, *bubblewrap_words(order), *words], order["env"])
    except BaseException as error:  # noqa: BLE001 - told on the status fd, judged by the parent
        report(order, f"trouble: {error}")
    os._exit(TROUBLE_STATUS)


if __name__ == "__main__":
    main()
