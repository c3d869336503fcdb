"""Attacks on the sandbox's walls: one probe runs inside each tier, and every row says what it reached.

Active probes all; a row is `blocked` when the kernel or the namespace refused it.
"""

import json
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.workspace.environment import base_python
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Job, Mount

PROBE = r"""
import ctypes, json, os, socket, sys
target = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
rows = {}
def attempt(name, act):
    try: got = act()
    except OSError as error: rows[name] = "blocked"
    else: rows[name] = "blocked" if got is False else "leaked"
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0: raise OSError(ctypes.get_errno(), "refused")
def read(path): return lambda: open(path, "rb").read()
def write(path): return lambda: open(path, "wb").write(b"x")
def connect(kind, address):
    def act():
        with socket.socket(kind) as link: link.settimeout(2); link.connect(address)
    return act
def environments():
    found = [open(f"/proc/{name}/environ", "rb").read() for name in os.listdir("/proc") if name.isdigit()]
    return any(b"HOST_SECRET" in text for text in found)
def file_descriptors():
    extra = []
    for number in range(3, 256):
        try: os.fstat(number)
        except OSError: continue
        extra.append(number)
    return sorted(extra) != [int(os.environ["PROVEOUT_RESULTS_FD"])]
attempt("inherited file descriptors", file_descriptors)
attempt("AF_INET socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
attempt("AF_INET6 datagram", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
attempt("AF_NETLINK socket", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("abstract unix socket of the host", connect(socket.AF_UNIX, "\0" + target["abstract"]))
attempt("named unix socket of the host", connect(socket.AF_UNIX, target["named"]))
parent = f"/proc/{target['parent']}"
for name in ("/etc/passwd", "/etc/shadow", target["secret"], parent + "/environ", parent + "/mem"):
    shown = "secret" if name == target["secret"] else name.replace(parent, "/proc/PARENT")
    attempt("read " + shown, read(name))
attempt("list home", lambda: not set(os.listdir(target["home"])) <= set(target["interpreter"]))
attempt("environments in /proc", environments)
attempt("variable of the parent", lambda: "HOST_SECRET" in os.environ)
mounted = [target["shown"] + "/new", target["shown"] + "/file", sys.base_prefix + "/new"]
for name in ("/new", "/usr/new", "/etc/new", "/dev/new", *mounted):
    attempt("write " + name.replace(target["shown"], "MOUNT").replace(sys.base_prefix, "PYTHON"), write(name))
attempt("signal the parent", lambda: os.kill(target["parent"], 0))
attempt("become root", lambda: os.setuid(0))
attempt("mount", lambda: call(165, b"none", target["shown"].encode(), b"none", 32 | 4096, b""))
attempt("unmount", lambda: call(166, target["shown"].encode(), 2))
attempt("new mount API", lambda: call(430, b"tmpfs", 0))
attempt("chroot", lambda: call(161, b"/"))
attempt("user namespace by unshare", lambda: call(272, 0x10000000))
attempt("user namespace by clone", lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0))
attempt("clone3", lambda: call(435, 0, 0))
attempt("ptrace", lambda: call(101, 16, os.getppid(), 0, 0))
attempt("process_vm_readv", lambda: call(310, os.getppid(), 0, 0, 0, 0, 0))
attempt("keyctl", lambda: call(250, 0, -3, 0))
attempt("io_uring", lambda: call(425, 1, ctypes.create_string_buffer(256)))
attempt("bpf", lambda: call(321, 0, ctypes.create_string_buffer(128), 128))
attempt("perf_event_open", lambda: call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0))
attempt("userfaultfd", lambda: call(323, 1))
attempt("memfd_create", lambda: os.memfd_create("x"))
attempt("memfd_secret", lambda: call(447, 0))
attempt("SysV shared memory", lambda: call(29, 0, 4096, 0o1600))
attempt("personality", lambda: call(135, 0x0040000))
attempt("open_by_handle_at", lambda: call(304, -100, ctypes.create_string_buffer(64), 0))
os.write(int(os.environ["PROVEOUT_RESULTS_FD"]), json.dumps(rows).encode())
"""

TIERS = ("bubblewrap", "landlock", "forked")
ROWS = (
    "inherited file descriptors", "AF_INET socket", "AF_INET6 datagram", "AF_NETLINK socket",
    "abstract unix socket of the host", "named unix socket of the host", "read /etc/passwd", "read /etc/shadow",
    "read secret", "read /proc/PARENT/environ", "read /proc/PARENT/mem", "list home", "environments in /proc",
    "variable of the parent", "write /new", "write /usr/new", "write /etc/new", "write /dev/new", "write MOUNT/new",
    "write MOUNT/file", "write PYTHON/new", "signal the parent", "become root", "mount", "unmount", "new mount API",
    "chroot", "user namespace by unshare", "user namespace by clone", "clone3", "ptrace", "process_vm_readv", "keyctl",
    "io_uring", "bpf", "perf_event_open", "userfaultfd", "memfd_create", "memfd_secret", "SysV shared memory",
    "personality", "open_by_handle_at",
)  # fmt: skip


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A host worth attacking: secrets, listening sockets, an inheritable file descriptor, a secret variable."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "secret").write_text("secret")
    shown = folder / "shown"
    shown.mkdir()
    (shown / "file").write_text("shown")
    os.environ["HOST_SECRET"] = "1"  # noqa: S105
    abstract, named = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0proveout-{os.getpid()}")
    named.bind(str(folder / "named"))
    (folder / "named").chmod(0o777)
    leaking = os.open(folder / "secret", os.O_RDONLY)
    os.set_inheritable(leaking, True)
    for listening in (abstract, named):
        listening.listen()
    home, prefix = Path.home(), Path(sys.base_prefix)  # an interpreter below the home is shown, and nothing else of it
    interpreter = [prefix.relative_to(home).parts[0]] if prefix.is_relative_to(home) else []
    yield {
        "abstract": f"proveout-{os.getpid()}", "named": str(folder / "named"), "secret": str(folder / "secret"),
        "parent": os.getpid(), "home": str(Path.home()), "interpreter": interpreter, "shown": str(shown),
    }  # fmt: skip
    os.close(leaking)
    abstract.close()
    named.close()
    del os.environ["HOST_SECRET"]


@pytest.fixture(scope="module")
def reached(host, sandbox_of):
    """Per tier, what the probe reached; one run a tier."""
    found = {}

    def of(tier):
        if tier not in found:
            sandbox = sandbox_of(tier)
            mounts = (Mount(Path(host["shown"]), "/shown"),)
            shown = "/shown" if tier != "landlock" else host["shown"]
            argv = (str(base_python()), "-I", "-S", "-B", "-c", PROBE, json.dumps({**host, "shown": shown}))
            ended = sandbox.run(Job(argv, mounts, results_fd=True))
            assert (ended.status, ended.stderr) == (0, b"")
            found[tier] = json.loads(ended.results)
        return found[tier]

    return of


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the probe calls the kernel by x86_64 numbers")
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("row", ROWS)
def test_the_probe_is_blocked(reached, tier, row):
    """Each attempt of the probe is refused inside the tier."""
    assert reached(tier)[row] == "blocked"


@pytest.mark.parametrize("tier", TIERS)
def test_the_probe_tries_every_row_and_no_other(reached, tier):
    """A row that is not exercised would claim a wall that nobody leaned on."""
    assert set(ROWS) == set(reached(tier))


def test_the_same_probe_sees_what_is_there_without_a_sandbox(host):
    """The probe is no tautology: without isolation it reads the secret and opens a network socket."""
    argv = (str(base_python()), "-I", "-S", "-B", "-c", PROBE, json.dumps(host))
    rows = json.loads(choose(allow_unsafe=True, tier="none").run(Job(argv, results_fd=True)).results)
    known = ("read secret", "AF_INET socket", "abstract unix socket of the host", "read /etc/passwd")
    expected = dict.fromkeys(known, "leaked")
    assert expected == {row: rows[row] for row in expected}


@pytest.mark.parametrize("tier", TIERS)
def test_the_first_process_shows_no_environment_of_the_launcher(sandbox_of, tier):
    """Where pid 1 can be read, it was started with the job's own variables and none of ours."""
    sandbox = sandbox_of(tier)
    ended = sandbox.run(Job(("/bin/cat", "/proc/1/environ"), env={"MARK": "1"}))
    names = {variable.partition(b"=")[0] for variable in ended.stdout.split(b"\0") if variable}
    assert names <= {b"PATH", b"HOME", b"TMPDIR", b"LANG", b"TZ", b"USER", b"LOGNAME", b"MARK"}
    assert (tier != "bubblewrap") == (ended.status != 0)


def test_landlock_leaves_metadata_of_host_paths_readable(tmp_path):
    """A known gap of the weaker tier: stat() is not mediated, so existence and size of host files can be learned."""
    try:
        sandbox = choose(tier="landlock")
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    ended = sandbox.run(Job((str(base_python()), "-I", "-S", "-c", "import os; print(os.stat('/etc/passwd').st_size)")))
    assert f"{Path('/etc/passwd').stat().st_size}\n".encode() == ended.stdout


def test_bubblewrap_shows_the_source_of_a_mount(tmp_path):
    """A known gap of the stronger tier: /proc/self/mountinfo names where a mount comes from."""
    try:
        sandbox = choose(tier="bubblewrap")
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    (tmp_path / "named-by-mountinfo").mkdir()
    mounts = (Mount(tmp_path / "named-by-mountinfo", "/shown"),)
    ended = sandbox.run(Job(("/bin/cat", "/proc/self/mountinfo"), mounts))
    assert b"named-by-mountinfo" in ended.stdout


def test_threads_of_the_parent_do_not_disturb_a_launch():
    """Sandboxes start from many threads at once, because nothing runs between fork and exec in the parent."""
    try:
        sandbox = choose()
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append(sandbox.run(Job(("/bin/echo", "here"))).stdout)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [b"here\n"] * 8
    assert sys.version_info >= (3, 11)
