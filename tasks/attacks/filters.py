"""Filters: the pieces of the seccomp program by what they guard, so that each can be cut out of it alone.

Gives    the very instructions that confine.seccomp emits, from its own tables; weakened.without refuses what it lacks.
"""

# ruff: noqa: SLF001 - what is attacked is the inside of the filter
import platform
import struct

from tasks.workspace import confine

MACHINE = platform.machine()


def packed(*instructions: confine.Instruction) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def refused_by_number(number: int) -> bytes:
    """The two instructions that refuse one call."""
    return packed((confine._EQUAL, 0, 1, number), (confine._RETURN, 0, 0, confine._ERRNO | confine.EPERM))


def everything_allowed() -> bytes:
    return packed((confine._RETURN, 0, 0, confine._ALLOW))


def denied_calls() -> dict[str, int]:
    """Every system call that the filter refuses by its number on this machine."""
    rows = [row for row in (confine._DENIED + confine._MEMFD).replace("\n", "|").split("|") if row]
    numbers = {row.split()[0]: confine._numbers(row, MACHINE) for row in rows}
    return {name: found[0] for name, found in numbers.items() if found}


def metadata_calls() -> list[int]:
    """The calls that are refused where the uid is the caller's own."""
    return confine._numbers(confine._METADATA, MACHINE)


def clone_guard() -> bytes:
    refuse = (confine._RETURN, 0, 0, confine._ERRNO | confine.EPERM)
    flags = [(confine._LOAD, 0, 0, confine._FIRST), (confine._ANY_BIT, 0, 1, confine._NEW_NAMESPACES), refuse]
    return packed(*confine._guard(confine._numbers(confine._CLONE, MACHINE)[0], flags))


def ioctl_guard() -> bytes:
    refuse = (confine._RETURN, 0, 0, confine._ERRNO | confine.EPERM)
    sti, linux = confine._INJECTION
    checks = [
        (confine._LOAD, 0, 0, confine._SECOND),
        (confine._EQUAL, 1, 0, sti),
        (confine._EQUAL, 0, 1, linux),
        refuse,
    ]
    return packed(*confine._guard(confine._numbers(confine._IOCTL, MACHINE)[0], checks))


def socket_guard(sockets: confine.Sockets) -> bytes:
    number = confine._numbers(confine._SOCKET, MACHINE)[0]
    no_family = (confine._RETURN, 0, 0, confine._ERRNO | confine.EAFNOSUPPORT)
    if sockets == "none":
        return packed((confine._EQUAL, 0, 1, number), no_family)
    unix = [(confine._LOAD, 0, 0, confine._FIRST), (confine._EQUAL, 1, 0, confine._AF_UNIX), no_family]
    return packed(*confine._guard(number, unix))


def clone3() -> bytes:
    return packed((confine._EQUAL, 0, 1, confine._CLONE3), (confine._RETURN, 0, 0, confine._ERRNO | confine.ENOSYS))


def architecture() -> bytes:
    guard = [(confine._EQUAL, 1, 0, confine._AUDIT[MACHINE]), (confine._RETURN, 0, 0, confine._KILL)]
    return packed(*guard)


def x32() -> bytes:
    return packed((confine._AT_LEAST, 0, 1, confine._X32_BIT), (confine._RETURN, 0, 0, confine._KILL))
