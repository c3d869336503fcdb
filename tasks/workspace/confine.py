"""Confine: kernel policies compiled to plain numbers, which `launch` then loads.

Takes    which sockets are allowed, whether memfd is, which folders may be read or written.
Gives    a seccomp-BPF program as bytes; a Landlock ruleset as numbers and paths.
Refuses  an architecture without a table here (x86_64 and aarch64 have one): that tier is then unavailable.
Covered      network families, tracing, keyrings, namespaces, mounts, io_uring, bpf, userfaultfd, memfd, SysV queues
             and memory, terminal injection, foreign system-call tables (int 0x80, x32).
Not covered  kernel bugs in the calls that stay open; Landlock mediates neither stat() nor connect() to a named socket.
Source   Linux uapi headers (linux/landlock.h, linux/seccomp.h, asm/unistd.h); DESIGN.md, "Running and grading code".
"""

import ctypes
import platform
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Sockets = Literal["unix", "none"]

LIBC = ctypes.CDLL(None, use_errno=True)
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97

# name x86_64 aarch64; "-" where the architecture has no such call. Calls from 424 on are numbered alike everywhere.
_DENIED = """
ptrace 101 117|process_vm_readv 310 270|process_vm_writev 311 271|kcmp 312 272|pidfd_getfd 438 438
process_madvise 440 440|add_key 248 217|request_key 249 218|keyctl 250 219
bpf 321 280|perf_event_open 298 241|userfaultfd 323 282
io_uring_setup 425 425|io_uring_enter 426 426|io_uring_register 427 427|unshare 272 97|setns 308 268
mount 165 40|umount2 166 39|pivot_root 155 41|chroot 161 51|open_tree 428 428|move_mount 429 429|fsopen 430 430
fsconfig 431 431|fsmount 432 432|fspick 433 433|mount_setattr 442 442|name_to_handle_at 303 264
open_by_handle_at 304 265|init_module 175 105|finit_module 313 273|delete_module 176 106
kexec_load 246 104|kexec_file_load 320 294|reboot 169 142
swapon 167 224|swapoff 168 225|acct 163 89|settimeofday 164 170|clock_settime 227 112|adjtimex 159 171
clock_adjtime 305 266|personality 135 92|quotactl 179 60|quotactl_fd 443 443|syslog 103 116|fanotify_init 300 262
lookup_dcookie 212 18|vhangup 153 58|memfd_secret 447 447|iopl 172 -|ioperm 173 -|modify_ldt 154 -|uselib 134 -
shmget 29 194|msgget 68 186|semget 64 190|mq_open 240 180
"""
_MEMFD = "memfd_create 319 279"
# What somebody needs who builds a sandbox inside this one, and confines what runs there by the whole list.
_NESTING = "unshare 272 97|mount 165 40"
# Landlock does not mediate these; without a uid of its own, code could reach the caller's own files through them.
_METADATA = """
chmod 90 -|fchmod 91 52|fchmodat 268 53|fchmodat2 452 452|chown 92 -|lchown 94 -|fchown 93 55|fchownat 260 54
setxattr 188 5|lsetxattr 189 6|fsetxattr 190 7|removexattr 197 14|lremovexattr 198 15|fremovexattr 199 16
utime 132 -|utimes 235 -|futimesat 261 -|utimensat 280 88
"""
_CLONE, _SOCKET, _IOCTL = "clone 56 220", "socket 41 198", "ioctl 16 29"
_CLONE3 = 435
_NEW_NAMESPACES = 0x7E020000
_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into somebody's terminal
_AF_UNIX = 1

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # offsets into struct seccomp_data; low words, little-endian

Instruction = tuple[int, int, int, int]


def supported(machine: str) -> bool:
    """Whether system calls of `machine` have a table here."""
    return machine in _AUDIT


def _numbers(table: str, machine: str) -> list[int]:
    column = 1 if machine == "x86_64" else 2
    rows = [row.split() for row in table.replace("\n", "|").split("|") if row]
    return [int(row[column]) for row in rows if row[column] != "-"]


def _guard(number: int, checks: Sequence[Instruction]) -> list[Instruction]:
    """Run `checks` only for one system call, then put its number back for the comparisons that follow."""
    return [(_EQUAL, 0, len(checks) + 1, number), *checks, (_LOAD, 0, 0, _NUMBER)]


def seccomp(*, sockets: Sockets, memfd: bool, metadata: bool, nests: bool = False, machine: str = "") -> bytes:
    """A seccomp-BPF program. `sockets` "unix" leaves AF_UNIX; `metadata` leaves chmod, chown, utime and xattrs.

    `nests` leaves unshare and mount: only for our own code, which loads a second program before it runs anybody else's.
    """
    machine = machine or platform.machine()
    denied = _DENIED + ("" if memfd else f"{_MEMFD}\n") + ("" if metadata else _METADATA)
    clone, socket, ioctl = (_numbers(call, machine)[0] for call in (_CLONE, _SOCKET, _IOCTL))
    program: list[Instruction] = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _AUDIT[machine]), (_RETURN, 0, 0, _KILL)]
    program.append((_LOAD, 0, 0, _NUMBER))
    if machine == "x86_64":
        program += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]
    left = _numbers(_NESTING, machine) if nests else []
    for number in (number for number in _numbers(denied, machine) if number not in left):
        program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | EPERM)]
    # clone3 hides its flags behind a pointer; ENOSYS makes the C library fall back to clone.
    program += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | ENOSYS)]
    refuse = (_RETURN, 0, 0, _ERRNO | EPERM)
    program += _guard(clone, [(_LOAD, 0, 0, _FIRST), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), refuse])
    sti, linux = _INJECTION
    program += _guard(ioctl, [(_LOAD, 0, 0, _SECOND), (_EQUAL, 1, 0, sti), (_EQUAL, 0, 1, linux), refuse])
    no_family = (_RETURN, 0, 0, _ERRNO | EAFNOSUPPORT)
    if sockets == "none":
        program += [(_EQUAL, 0, 1, socket), no_family]
    else:
        program += _guard(socket, [(_LOAD, 0, 0, _FIRST), (_EQUAL, 1, 0, _AF_UNIX), no_family])
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


# Landlock access bits, linux/landlock.h.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK, _TRUNCATE, _IOCTL_DEV = 1 << 6, 1 << 11, 1 << 14, 1 << 15
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_BITS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15}


@dataclass(frozen=True)
class Ruleset:
    """`attributes` is struct landlock_ruleset_attr; each rule is (path, access on a folder, access on a file)."""

    attributes: bytes
    rules: tuple[tuple[str, int, int], ...]


def landlock_abi() -> int:
    """The kernel's Landlock ABI; 0 where there is none."""
    return max(0, int(LIBC.syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


def landlock(abi: int, *, run: Iterable[str], read: Iterable[str], write: Iterable[str]) -> Ruleset:
    """Everything that `abi` mediates is denied (TCP, abstract sockets and signals too) but for what is listed."""
    handled = (1 << _BITS_BY_ABI.get(abi, 16)) - 1
    words = [handled]
    if abi >= 4:
        words.append(0b11)  # TCP bind and connect
    if abi >= 6:
        words.append(0b11)  # abstract unix sockets and signals outside of the domain
    reading = _READ_FILE | _READ_DIR
    writing = handled & ~(_MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEV)
    wanted = [(path, reading | _EXECUTE) for path in run]
    wanted += [(path, reading) for path in read]
    wanted += [(path, writing) for path in write]
    rules = tuple((path, access & handled, access & handled & _ON_FILES) for path, access in wanted)
    return Ruleset(struct.pack(f"={len(words)}Q", *words), rules)
