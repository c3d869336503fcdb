"""Zygote: an interpreter that has imported what a script imports, and forks a confined copy for each run.

A script that says RUNS_PYTEST finds pytest imported as well, without the plugins that it says are LEFT_OUT.

It is mounted read-only and runs inside an outer bubblewrap, under the flags and the environment of a cold run. It never
runs candidate code, and never reads an order: each fork reads its own, so that no run can find another's in its memory.

    zygote -> middle  builds the run's namespaces, stays outside of its PID namespace, and alone sees the true status
                first   pid 1 in there: when it dies, everything of the run dies
                leader  pid 2: the runner, confined like in a cold run

Takes    CONTROL-FD SITE SCRIPT; on the control socket one byte a run, with descriptors: order, talk, stdout, stderr,
         results, and for a run that is talked to, what it reads and what it writes. An order is marshal, the script's
         code included.
Gives    on each talk socket, first pidfds of middle and first and the zygote's resident bytes, then status lines as
         bubblewrap writes them: `released`, and `exit-code` or `signal`; or a line of trouble.
Refuses  to run anything when one step of the confinement fails.
Covered      the walls of the cold run, each put up anew: user, mount, PID, IPC, UTS and network namespaces, the one
             tree, sized /tmp and /dev/shm, own /proc and /dev/pts, no capabilities, no nested namespaces, rlimits, the
             same filter, no descriptor but the run's own; modules, variables and paths as the runner finds them cold.
Not covered  all runs of one zygote share its address layout (cold runs share theirs, too) and its hash seed (fixed in
             both); the leader's parent is 0, its /proc/self/cmdline is the zygote's, and its stack is one frame deeper.
Source       DESIGN.md, "Running and grading code"; the outer walls are `bubblewrap`'s.
"""

# Before anything of ours: exactly what a cold run has imported when the tree gets on its path.
import gc
import importlib
import json
import os
import re  # noqa: F401 - the runner's
import sys
from pathlib import Path
from typing import Any, NoReturn

PATH = list(sys.path)
sys.path.append(sys.argv[2])

# Under another name than a script's own, it only imports and defines. Its modules stay, and nothing else of it.
SCRIPT: dict[str, Any] = {"__name__": "", "__file__": sys.argv[3]}
exec(compile(Path(sys.argv[3]).read_bytes(), sys.argv[3], "exec"), SCRIPT)  # noqa: S102
if SCRIPT.get("RUNS_PYTEST"):
    from _pytest.config import default_plugins

    for plugin in default_plugins:
        if plugin not in SCRIPT["LEFT_OUT"]:
            importlib.import_module(f"_pytest.{plugin}")
    importlib.import_module("pytest")
ORDINARY, ORDINARY_PLACES = frozenset(sys.modules), frozenset(sys.path_importer_cache)

import ctypes  # noqa: E402
import fcntl  # noqa: E402
import marshal  # noqa: E402
import resource  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import types  # noqa: E402

Order = dict[str, Any]

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    1,
    2,
    4,
    8,
    32,
    4096,
    16384,
    1 << 18,
)
NEW_NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000  # mnt uts ipc user pid net
CAPABILITY_VERSION_3 = 0x20080522
SYS_SECCOMP_BY_MACHINE = {"x86_64": 317, "aarch64": 277}
TROUBLE_STATUS, MAX_HANDED, MAX_FD = 125, 7, 1 << 10
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def process_control(option: int, value: int) -> None:
    check(LIBC.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    arguments = (source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode())
    check(LIBC.mount(*arguments), f"mount {target}")


def new_namespaces() -> None:
    """Children get a PID namespace, and this process all others; its uid keeps its number."""
    user, group = os.getuid(), os.getgid()
    check(LIBC.unshare(NEW_NAMESPACES), "unshare")
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(line)


def show_only(order: Order) -> None:
    """The run's tree and fresh writable folders. The one over /tmp hides all other trees, which lie below it."""
    mount("none", "/", "none", MS_REC | MS_PRIVATE)
    if order["view"] is None:
        mount(order["tree"], order["root"], "none", MS_BIND)
        mount("none", order["root"], "none", MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV)
    else:
        cover(order["root"], order["tree"], order["view"])
        dress(order["root"], order["view"]["files"], order["view"]["gone"])
    quiet = MS_NOSUID | MS_NODEV
    mount("tmpfs", "/tmp", "tmpfs", quiet, f"mode=1777,size={order['tmp_bytes']}")  # noqa: S108
    mount("tmpfs", "/dev/shm", "tmpfs", quiet, f"mode=1777,size={order['shm_bytes']}")  # noqa: S108
    mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")


def cover(root: str, tree: str, view: dict[str, Any]) -> None:
    """A view of the tree that this run may write: what is written goes to a tmpfs, hidden by the overlay over it."""
    mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=755,size={view['bytes']},nr_inodes={view['inodes']}")
    if not tree:
        return
    for name in ("upper", "work"):
        Path(root, name).mkdir()
    held = os.open(root, os.O_PATH | os.O_DIRECTORY)  # overlay options know no safe quoting
    layers = f"upperdir=/proc/self/fd/{held}/upper,workdir=/proc/self/fd/{held}/work"
    mount("overlay", root, "overlay", MS_NOSUID | MS_NODEV, f"lowerdir={tree},{layers},userxattr")
    os.close(held)


def dress(root: str, files: list[tuple[str, int, bytes]], gone: list[str]) -> None:
    """Remove and write files as the cold launcher does."""
    for path in gone:
        (os.rmdir if path.endswith("/") else os.unlink)(f"{root}/{path}")
    for path, mode, content in files:
        target = Path(root, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(mode)


def drop_capabilities() -> None:
    for capability in range(64):
        if LIBC.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break
    header = CAPABILITY_VERSION_3.to_bytes(4, sys.byteorder) + bytes(4)
    check(LIBC.capset(header, bytes(24)), "capset")
    process_control(PR_SET_NO_NEW_PRIVS, 1)


def limit(rlimits: list[tuple[int, int, int]]) -> None:
    for kind, soft, hard in rlimits:
        ceiling = resource.getrlimit(kind)[1]
        hard = hard if ceiling == resource.RLIM_INFINITY else min(hard, ceiling)  # noqa: PLW2901
        resource.setrlimit(kind, (min(soft, hard), hard))


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def sieve(program: bytes) -> None:
    loaded = Program(len(program) // 8, program)
    check(LIBC.syscall(SYS_SECCOMP_BY_MACHINE[os.uname().machine], 1, 0, ctypes.byref(loaded)), "seccomp")


def first_process(ready: int) -> NoReturn:
    """Hold the PID namespace, shut to what runs in it, until it is killed; orphans reap themselves."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    drop_capabilities()
    process_control(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.write(ready, b"1")  # fails, and ends this process, if the middle died before the line above
    os.closerange(0, MAX_FD)
    while True:
        signal.pause()


def confine(order: Order, outputs: list[int]) -> None:
    """The leader's own part: its descriptors, its /proc, its limits; at the end it has lost every right."""
    os.setsid()
    for number, output in enumerate(outputs, start=1):
        os.dup2(output, number)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    Path("/proc/sys/user/max_user_namespaces").write_text("0")
    os.chdir(order["chdir"])
    limit([*order["rlimits"], (resource.RLIMIT_NPROC, order["processes"], order["processes"])])
    drop_capabilities()
    process_control(PR_SET_DUMPABLE, 1)
    sieve(order["filter"])


def forget(order: Order) -> None:
    """Modules, path, arguments and variables as the interpreter has them when it starts the runner cold."""
    os.environ.clear()
    os.environ.update(order["env"])
    sys.path[:] = PATH
    sys.orig_argv[:] = order["argv"]
    sys.argv[:] = order["argv"][order["argv"].index(order["script"]) :]
    for name in set(sys.modules) - ORDINARY:
        del sys.modules[name]
    for place in set(sys.path_importer_cache) - ORDINARY_PLACES:
        del sys.path_importer_cache[place]
    gc.enable()


def middle(zygote: int, order: Order, outputs: list[int], talk: socket.socket) -> None:
    """Build the namespaces and start both processes in them; only the leader returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process_control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != zygote:
        os._exit(TROUBLE_STATUS)
    resident_bytes = int(Path(f"/proc/{zygote}/statm").read_text().split()[1]) * PAGE_BYTES
    new_namespaces()
    process_control(PR_SET_DUMPABLE, 0)
    show_only(order)
    ready_read, ready_write = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(ready_read)
        first_process(ready_write)
    os.close(ready_write)
    if not os.read(ready_read, 1):
        raise OSError("the first process of the namespace died at once")
    os.close(ready_read)
    broken_read, broken_write = os.pipe()
    leader = os.fork()
    if leader == 0:
        lead(order, outputs, broken_write, talk)
        return
    for number in (*outputs, broken_write):
        os.close(number)
    drop_capabilities()
    pidfds = [os.pidfd_open(os.getpid()), os.pidfd_open(first)]
    socket.send_fds(talk, [str(resident_bytes).encode()], pidfds)
    trouble = os.read(broken_read, 4096)
    talk.send(b"trouble: " + trouble + b"\n" if trouble else b'{"released": true}\n')
    report(first, leader, talk)


def lead(order: Order, outputs: list[int], broken: int, talk: socket.socket) -> None:
    """Confine this process, or say what is broken and end."""
    talk.detach()
    broken = fcntl.fcntl(broken, fcntl.F_DUPFD, len(outputs) + 1)  # out of the way of the run's own numbers
    try:
        confine(order, outputs)
    except BaseException as error:  # noqa: BLE001 - after fork there is nobody above to tell
        os.write(broken, str(error).encode())
        os._exit(TROUBLE_STATUS)
    os.closerange(len(outputs) + 1, MAX_FD)


def report(first: int, leader: int, talk: socket.socket) -> NoReturn:
    """Tell how the leader ended once nothing of the run is left."""
    _, status = os.waitpid(leader, 0)
    os.kill(first, signal.SIGKILL)
    while reaped():  # siblings that the leader made with CLONE_PARENT are ours, and hold up the namespace's end
        pass
    code = os.waitstatus_to_exitcode(status)
    talk.send(json.dumps({"exit-code": code} if code >= 0 else {"signal": -code}).encode() + b"\n")
    os._exit(0)


def reaped() -> bool:
    try:
        os.wait()
    except ChildProcessError:
        return False
    return True


def attend(zygote: int, numbers: list[int]) -> Order:
    """In a fork: read the order, and come back as the confined leader."""
    order_fd, talk_fd, *outputs = numbers
    talk = socket.socket(fileno=talk_fd)
    try:
        with open(order_fd, "rb") as file:  # noqa: PTH123 - a descriptor
            order: Order = marshal.loads(file.read())  # noqa: S302 - written by our own parent, one interpreter
        middle(zygote, order, outputs, talk)
    except BaseException as error:  # noqa: BLE001 - told on the socket, judged by the parent
        talk.send(f"trouble: {error}\n".encode(errors="replace"))
        os._exit(TROUBLE_STATUS)
    return order


def serve(control: socket.socket) -> Order:
    """Fork for every byte that comes; gives an order in a confined leader, and never in the zygote."""
    gc.collect()
    gc.freeze()  # or collections in a fork would copy every page that it shares with us
    gc.disable()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    zygote = os.getpid()
    control.send(b"ready")
    while True:
        asked, numbers, _, _ = socket.recv_fds(control, 1, MAX_HANDED)
        if not asked:
            os._exit(0)
        if os.fork() == 0:
            control.close()
            return attend(zygote, numbers)
        for number in numbers:
            os.close(number)


def main_module(order: Order) -> types.ModuleType:
    """The script as the interpreter's main module."""
    module = types.ModuleType("__main__")
    module.__file__ = order["script"]
    module.__dict__.update(__cached__=None, __annotations__={})
    sys.modules["__main__"] = module
    return module


if __name__ == "__main__":
    job = serve(socket.socket(fileno=int(sys.argv[1])))
    main = main_module(job)
    forget(job)
    exec(job["code"], main.__dict__)  # noqa: S102 - the script is trusted; it sends what is not through pytest
