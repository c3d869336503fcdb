"""Bounded capture, and the words that a tier without mounts translates."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.records.errors import Refusal, SandboxUnavailable
from tasks.workspace import confine, ladder
from tasks.workspace.orders import translated
from tasks.workspace.pipes import Capture
from tasks.workspace.sandbox import Mount


@given(st.lists(st.binary(max_size=50)), st.integers(min_value=4, max_value=100))
def test_a_capture_keeps_head_and_tail_and_counts_the_rest(chunks, kept_bytes):
    """Fed in any pieces: short streams whole, long ones by their first three quarters and last quarter of the room."""
    capture, whole = Capture(kept_bytes), b"".join(chunks)
    for chunk in chunks:
        capture.feed(chunk)
    tail_bytes = kept_bytes // 4
    head = whole[: kept_bytes - tail_bytes]
    cut = max(0, len(whole) - kept_bytes)
    expected = whole if not cut else head + b"\n... %d bytes cut ...\n" % cut + whole[-tail_bytes:]
    assert (expected, cut) == (capture.bytes(), capture.cut_bytes)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("/work", "/real"), ("/work/a.py", "/real/a.py"), ("/workshop", "/workshop"), ("a/work", "a/work"),
        ("/x:/work:/opt/y", "/x:/real:/other"), ("t.py::test[/work]", "t.py::test[/work]"), ("/opt", "/stand-in"),
        ("/opt/z", "/opt/z"), ("/tmp", "/tmp"), ("", ""),
    ],
)  # fmt: skip
def test_only_whole_paths_are_translated(word, expected):
    """A target, what lies below it, and exactly its parent; each part of a list; never the middle of a word."""
    places = {"/work": "/real", "/opt/y": "/other", "/tmp/t": "/t"}
    assert expected == translated(word, places, {"/opt": "/stand-in", "/": "/no", "/tmp": "/no"})


@pytest.mark.parametrize("target", ["/", "work", "/a/../b", "/a//b", "/a/"])
def test_a_mount_target_must_be_a_normal_absolute_path(target):
    """Anything else could hide a part of the sandbox itself."""
    with pytest.raises(Refusal, match="mount target"):
        Mount(Path("/"), target)


def test_no_tier_means_a_refusal_with_a_remedy(monkeypatch):
    """One line: every tier's trouble, then what to do; and none at all only if it was asked for."""

    def missing():
        raise SandboxUnavailable("not here")

    monkeypatch.setattr(ladder, "TIERS", {"bubblewrap": missing, "landlock": missing})
    ladder._proven.cache_clear()
    try:
        with pytest.raises(
            SandboxUnavailable, match=r"bubblewrap: not here; landlock: not here.*install bubblewrap"
        ) as refusal:
            ladder.choose()
        assert "\n" not in str(refusal.value)
        assert ladder.choose(allow_unsafe=True).tier == "none"
    finally:
        ladder._proven.cache_clear()


def run_filter(program, number, first=0, second=0, arch=0xC000003E):
    """A seccomp-BPF interpreter of five instructions, after the kernel's documentation."""
    import struct

    data = struct.pack("<IIQQQQQQQ", number, arch, 0, first, second, 0, 0, 0, 0)
    code = [struct.unpack("=HBBI", program[at : at + 8]) for at in range(0, len(program), 8)]
    at = register = 0
    while True:
        operation, jump_true, jump_false, operand = code[at]
        if operation == 0x06:
            return operand
        if operation == 0x20:
            register = struct.unpack_from("<I", data, operand)[0]
        else:
            held = {0x15: register == operand, 0x35: register >= operand, 0x45: bool(register & operand)}[operation]
            at += jump_true if held else jump_false
        at += 1


ALLOW, KILL, EPERM, ENOSYS, NO_FAMILY = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026, 0x00050061


@pytest.mark.parametrize(
    ("machine", "number", "first", "second", "expected"),
    [
        ("x86_64", 0, 0, 0, ALLOW), ("x86_64", 101, 0, 0, EPERM), ("x86_64", 319, 0, 0, EPERM), ("x86_64",
        435, 0, 0, ENOSYS),
        ("x86_64", 56, 0x10000011, 0, EPERM), ("x86_64", 56, 0x11, 0, ALLOW), ("x86_64", 41, 1, 0, ALLOW),
        ("x86_64", 41, 2, 0, NO_FAMILY), ("x86_64", 16, 0, 0x5412, EPERM), ("x86_64", 16, 0, 0x541C, EPERM),
        ("x86_64", 16, 0, 0x5401, ALLOW), ("x86_64", 0x40000000, 0, 0, KILL), ("x86_64", 90, 0, 0, ALLOW),
        ("aarch64", 63, 0, 0, ALLOW), ("aarch64", 117, 0, 0, EPERM), ("aarch64", 279, 0, 0, EPERM),
        ("aarch64", 220, 0x10000011, 0, EPERM), ("aarch64", 198, 2, 0, NO_FAMILY), ("aarch64", 29, 0, 0x5412, EPERM),
        ("aarch64", 425, 0, 0, EPERM), ("aarch64", 97, 0, 0, EPERM),
    ],
)  # fmt: skip
def test_the_filter_decides_by_the_architectures_own_numbers(machine, number, first, second, expected):
    """Numbers are those of asm/unistd.h for each architecture; decisions come from an independent interpreter."""
    program = confine.seccomp(sockets="unix", memfd=False, metadata=True, machine=machine)
    arch = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine]
    assert expected == run_filter(program, number, first, second, arch)
    assert run_filter(program, number, first, second, 0x40000003) == KILL


def test_options_of_the_filter_close_what_they_name():
    """No socket at all, memfd for our worker, and no change of metadata under a shared uid."""
    closed = confine.seccomp(sockets="none", memfd=True, metadata=False, machine="x86_64")
    assert [run_filter(closed, number, 1) for number in (41, 319, 90, 280)] == [NO_FAMILY, ALLOW, EPERM, EPERM]


def test_landlock_handles_what_the_abi_knows():
    """Sizes of struct landlock_ruleset_attr by ABI: 8 bytes, 16 with network (4), 24 with scopes (6)."""
    sizes = {abi: len(confine.landlock(abi, run=(), read=(), write=()).attributes) for abi in (1, 3, 4, 5, 6, 7)}
    assert sizes == {1: 8, 3: 8, 4: 16, 5: 16, 6: 24, 7: 24}
