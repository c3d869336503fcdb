"""Prober: asks, from inside a sandbox, what it can reach; one JSON line an answer on the results pipe.

It is mounted read-only and run by the base interpreter; it imports nothing of ours.

Takes    a JSON object: what to ask, and what of the host to try to reach; a folder that is shown; a writable view.
Gives    for each question whether the wall held, and what was seen.
Refuses  nothing; what breaks while it is asked counts as an answer that did not hold, unless it is the refusal itself.
Covered      each answer is something that was tried, not something that a version or a setting says.
Not covered  what it does not try. It harms nobody where nothing holds: what it writes it removes, what it forks ends.
"""

import errno
import functools
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEGABYTE = 1 << 20
NEW_USER = 0x10000000
PR_GET_NO_NEW_PRIVS, PTRACE_SEIZE, SIGKILL, VM_SOCKETS = 39, 0x4206, 9, 40
FORKS = 400
PATIENCE_SECONDS = 2

Asked = dict[str, Any]
Answer = tuple[bool, str]


def refused(act: Callable[[], object]) -> Answer:
    """Whether the system refuses to do it."""
    try:
        got = act()
    except OSError as error:
        return True, errno.errorcode.get(error.errno or 0, type(error).__name__)
    return False, f"it went through: {str(got)[:60]}"


def all_refused(acts: dict[str, Callable[[], object]]) -> Answer:
    answers = {name: refused(act) for name, act in acts.items()}
    through = [name for name, (held, _) in answers.items() if not held]
    return not through, ", ".join(through) or ", ".join(sorted({why for _, why in answers.values()}))


def call(name: str, *arguments: object) -> int:
    """The result of a C function, or its error."""
    import ctypes

    result: int = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def digest(path: str) -> str:
    """The hash of a small file."""
    import hashlib

    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def opened(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def read(path: str) -> str:
    return Path(path).read_bytes()[:20].decode(errors="replace")


def written(path: str) -> str:
    """Leave a file, and remove it again where that went through."""
    target = Path(path)
    target.write_bytes(b"x")
    target.unlink()
    return path


def in_child(act: Callable[[], object]) -> Answer:
    """Ask it of a child, because it would change the asker."""
    receiving, sending = os.pipe()
    if not (child := os.fork()):
        os.write(sending, json.dumps(refused(act)).encode())
        os._exit(0)
    os.close(sending)
    said = os.read(receiving, 1000)
    os.close(receiving)
    os.waitpid(child, 0)
    held, detail = json.loads(said or b'[false, "the child died"]')
    return held, detail


def processes() -> list[str]:
    try:
        return [path.name for path in Path("/proc").iterdir() if path.name.isdigit()]
    except OSError:
        return []


def parents_file(asked: Asked, name: str) -> str:
    """A file of the supervising process, wherever its number leads; known by its content."""
    if digest(f"/proc/{asked['parent']}/{name}") != asked[name]:
        raise FileNotFoundError(errno.ENOENT, "another process of that number")
    return f"its {name}"


def parents_memory(asked: Asked) -> str:
    """Bytes at a known address of the supervising process."""
    with Path(f"/proc/{asked['parent']}/mem").open("rb", buffering=0) as memory:
        memory.seek(asked["address"])
        return _token(memory.read(len(asked["token"])), asked)


def _token(content: bytes, asked: Asked) -> str:
    if content != asked["token"].encode():
        raise FileNotFoundError(errno.ENOENT, "another process of that number")
    return "its memory"


def parents_memory_by_call(asked: Asked) -> str:
    import ctypes

    size, one, none = len(asked["token"]), ctypes.c_ulong(1), ctypes.c_ulong(0)
    buffer = ctypes.create_string_buffer(size)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), size)
    there = (ctypes.c_void_p * 2)(asked["address"], size)
    call("process_vm_readv", asked["parent"], here, one, there, one, none)
    return _token(buffer.raw, asked)


def traced() -> None:
    """Trace a child of our own: what is refused there is refused everywhere."""
    waiting, going = os.pipe()
    if not (child := os.fork()):
        os.close(going)
        os.read(waiting, 1)
        os._exit(0)
    try:
        call("ptrace", PTRACE_SEIZE, child, None, None)
    finally:
        os.kill(child, SIGKILL)
        os.waitpid(child, 0)
        os.close(waiting)
        os.close(going)


def others(asked: Asked) -> Answer:
    """Whether any process of the host can be seen, known by its command line."""
    seen = []
    for name in processes():
        try:
            seen.append(digest(f"/proc/{name}/cmdline"))
        except OSError:
            continue
    return asked["cmdline"] not in seen, f"{len(seen)} processes can be seen"


def capabilities() -> Answer:
    """None in force, and none to be had by starting a program."""
    import ctypes

    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call("capget", header, data)
    privileges = call("prctl", PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
    return not any(data) and privileges == 1, f"sets {[hex(word) for word in data]}, no_new_privs {privileges}"


def forks() -> Answer:
    """Fork until it is refused; every child waits for our end of a pipe, and ends with it."""
    receiving, sending = os.pipe()
    children: list[int] = []
    try:
        while len(children) < FORKS:
            if not (child := os.fork()):
                os.close(sending)
                os.read(receiving, 1)
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    os.close(sending)
    os.close(receiving)
    for child in children:
        os.waitpid(child, 0)
    return len(children) < FORKS, f"{len(children)} forks went through"


def memory(asked: Asked) -> Answer:
    try:
        return False, f"{len(bytearray(2 * asked['memory_bytes']))} bytes were given"
    except MemoryError:
        return True, "MemoryError"


def memory_of_children(asked: Asked) -> Answer:
    """Take more in sum than all processes may have, and wait to be killed for it."""
    children, each_bytes = [], asked["memory_bytes"] // 2
    for _ in range(1 + asked["total_memory_bytes"] // each_bytes):
        if not (child := os.fork()):
            held = b"x" * each_bytes
            time.sleep(PATIENCE_SECONDS if held else 0)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return False, f"{len(children)} processes held {each_bytes} bytes each"


def filled(folder: str, limit_bytes: int) -> Answer:
    """Write up to twice the limit in files of a megabyte."""
    names, size, why = [], 0, "all was written"
    try:
        for number in range(2 * limit_bytes // MEGABYTE):
            names.append(Path(folder) / f"filled-{number}")
            size += names[-1].write_bytes(bytes(MEGABYTE))
    except OSError as error:
        why = errno.errorcode.get(error.errno or 0, "refused")
    for name in names:
        name.unlink(missing_ok=True)
    return size <= limit_bytes, f"{size} bytes of {limit_bytes}: {why}"


def environment(asked: Asked) -> Answer:
    known = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "PWD", "USER", "LOGNAME", "LC_CTYPE", "PROVEOUT_RESULTS_FD"]
    strays = sorted(set(os.environ) - set(known))
    return not strays and asked["token"] not in str(dict(os.environ)), ", ".join(strays) or "only what was declared"


def connected(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(2)
        link.connect(address)


def home(asked: Asked) -> Answer:
    """The caller's home, but for an interpreter that lies below it and has to be shown."""
    try:
        strays = sorted({path.name for path in Path(asked["home"]).iterdir()} - set(asked["interpreter"]))
    except OSError as error:
        return True, errno.errorcode.get(error.errno or 0, "refused")
    return not strays, f"{len(strays)} entries can be listed"


QUESTIONS: dict[str, Callable[[Asked], Answer]] = {
    "runs as an ordinary user": lambda _: (os.getuid() != 0, f"uid {os.getuid()}"),
    "opens no network socket": lambda _: refused(lambda: opened(socket.AF_INET, socket.SOCK_STREAM)),
    "reads no file of the host": lambda asked: refused(lambda: read(asked["secret"])),
    "cannot change what it is shown": lambda asked: refused(lambda: written(f"{asked['shown']}/new")),
    "reads what it is shown": lambda asked: (read(f"{asked['shown']}/shown") == "shown", "shown"),
    "writes to a folder of its own": lambda _: (written(f"{os.environ['TMPDIR']}/own") != "", "written"),
    "writes to a view": lambda asked: (written(f"{asked['view']}/own") != "", "written"),
    "sees no variable of the caller": environment,
    "opens no socket of any other family": lambda _: all_refused(
        {
            "AF_INET6": lambda: opened(socket.AF_INET6, socket.SOCK_DGRAM),
            "AF_NETLINK": lambda: opened(socket.AF_NETLINK, socket.SOCK_RAW),
            "AF_PACKET": lambda: opened(socket.AF_PACKET, socket.SOCK_RAW),
            "AF_VSOCK": lambda: opened(VM_SOCKETS, socket.SOCK_STREAM),
            "AF_ALG": lambda: opened(socket.AF_ALG, socket.SOCK_SEQPACKET),
        }
    ),
    "reaches no unix socket of the host": lambda asked: all_refused(
        {
            "abstract": lambda: connected("\0" + asked["abstract"]),
            "named": lambda: connected(asked["named"]),
        }
    ),
    "reads no environment of the caller": lambda asked: refused(lambda: parents_file(asked, "environ")),
    "reads no memory of the caller": lambda asked: all_refused(
        {
            "/proc": lambda: parents_memory(asked),
            "process_vm_readv": lambda: parents_memory_by_call(asked),
        }
    ),
    "traces no process": lambda _: refused(traced),
    "sees no process of the host": others,
    "signals no process of the host": lambda asked: (True, refused(lambda: os.kill(asked["victim"], SIGKILL))[1]),
    "lists no home": home,
    "learns nothing of a file of the host": lambda asked: refused(lambda: Path(asked["secret"]).stat()),
    "learns no place of the host": lambda asked: refused(lambda: _places(asked)),
    "writes to no part of the system": lambda asked: all_refused(
        {
            folder: functools.partial(written, f"{folder}/{asked['token']}")
            for folder in ("/", "/usr", "/bin", "/lib", "/etc", "/var", "/dev", "/proc/self", "/sys", "/run", "/root")
        }
    ),
    "has no capability": lambda _: capabilities(),
    "makes no namespace": lambda _: in_child(lambda: call("unshare", NEW_USER)),
    "forks no more than its limit": lambda _: forks(),
    "gets no more memory than its limit": memory,
    "gets no memory that no limit counts": lambda _: refused(lambda: os.memfd_create("probe")),
    "fills no more than its temporary folder": lambda asked: filled(os.environ["TMPDIR"], asked["tmp_bytes"]),
    "fills no more than its shared memory": lambda asked: filled("/dev/shm", asked["shm_bytes"]),  # noqa: S108
    "fills no more than its view": lambda asked: filled(asked["view"], asked["work_bytes"]),
    "gets no more memory in several processes": memory_of_children,  # the last, because it ends the run
}


def _places(asked: Asked) -> str:
    if asked["folder"] not in Path("/proc/self/mountinfo").read_text(encoding="utf-8"):
        raise FileNotFoundError(errno.ENOENT, "no such place")
    return "mountinfo names it"


def answer(question: str, asked: Asked) -> Answer:
    try:
        return QUESTIONS[question](asked)
    except BaseException as error:  # noqa: BLE001 - a question that breaks has no good answer
        return False, f"{type(error).__name__}: {error}"


def main() -> None:
    asked = json.loads(sys.argv[1])
    asked["shown"], asked["view"] = sys.argv[2:]
    results_fd = int(os.environ["PROVEOUT_RESULTS_FD"])
    for question in asked["questions"]:
        held, detail = answer(question, asked)
        os.write(results_fd, json.dumps([question, held, detail]).encode() + b"\n")


if __name__ == "__main__":
    main()
