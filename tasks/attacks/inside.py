"""Inside: runs probes within a sandbox and says what each of them reached. It imports nothing of ours.

Takes    a JSON list of [name, code], the target, and `fork` or `alone`, as arguments.
Gives    one JSON line a probe on the results pipe: leaked or blocked, and by what.
"""

# ruff: noqa: S102, PTH108, PTH123, BLE001, SIM105
import ctypes
import errno
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

probes, target, how = json.loads(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]
libc = ctypes.CDLL(None, use_errno=True)
fd = int(os.environ["PROVEOUT_RESULTS_FD"])


def call(number: int, *arguments: Any) -> bool:
    """One raw system call. Raises OSError when it is refused."""
    if libc.syscall(ctypes.c_long(number), *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return True


def reaches(number: int, *arguments: int) -> bool:
    """Whether a call with senseless arguments is looked at by the kernel at all, or refused for its name."""
    words = [ctypes.c_long(word) for word in (arguments or (-1,) * 6)]
    if libc.syscall(ctypes.c_long(number), *words) >= 0:
        return True
    refused = ctypes.get_errno()
    if refused in {errno.EPERM, errno.ENOSYS, errno.EACCES}:
        raise OSError(refused, os.strerror(refused))
    return True


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def write(path: str) -> bool:
    """Open for writing; what did not exist before is taken away again."""
    existed = os.path.lexists(path)
    with open(path, "r+b" if existed else "xb") as file:
        file.write(b"x")
    if not existed:
        os.unlink(path)
    return True


def connect(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(2)
        link.connect(address)
    return True


def descriptors() -> list[int]:
    """Every open descriptor but the standard three and, where /proc is searched, none of its own."""
    found = []
    for number in range(3, 256):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found


def fill(folder: str, megabytes: int) -> int:
    """How many bytes of that many megabytes a folder takes; they are removed again."""
    written, made = 0, []
    try:
        for number in range(megabytes):
            made.append(f"{folder}/fill-{os.getpid()}-{number}")
            with open(made[-1], "xb", 0) as file:
                written += file.write(bytes(1 << 20))
    except OSError:
        pass
    for path in made:
        try:
            os.unlink(path)
        except OSError:
            pass
    return written


def say(name: str, observed: str, note: str) -> None:
    os.write(fd, json.dumps({"name": name, "observed": observed, "note": note[:120]}).encode() + b"\n")


def attempt(name: str, code: str) -> None:
    """Run one probe; whatever it raises is what stopped it."""
    names: dict[str, Any] = dict(globals())
    try:
        exec(compile(code, name, "exec"), names)
    except OSError as refused:
        say(name, "blocked", refused.strerror or str(refused))
    except BaseException as error:
        say(name, "blocked", f"{type(error).__name__}: {error}")
    else:
        say(name, "leaked" if names.get("result") else "blocked", "")


def apart(act: Callable[[], None], name: str) -> None:
    """In a child of its own, so that no probe changes what the next one finds."""
    child = os.fork()
    if child == 0:
        act()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        say(name, "blocked", f"killed by signal {-status}")


if how == "fork":
    for name, code in probes:
        apart(lambda name=name, code=code: attempt(name, code), name)  # type: ignore[misc]
else:
    say(probes[0][0], "started", "")
    attempt(*probes[0])
_ = time
