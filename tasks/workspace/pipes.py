"""Pipes to a confined child, and what is kept of what comes out of them."""

import os
from typing import Self


class Capture:
    """Head and tail of a stream, never more; everything beyond is read and forgotten."""

    def __init__(self, kept_bytes: int) -> None:
        self.head, self.tail = bytearray(), bytearray()
        self.tail_bytes = kept_bytes // 4
        self.head_bytes = kept_bytes - self.tail_bytes
        self.seen_bytes = 0

    def feed(self, chunk: bytes) -> None:
        self.seen_bytes += len(chunk)
        room = self.head_bytes - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:]
        if len(self.tail) > 2 * self.tail_bytes:
            del self.tail[: -self.tail_bytes]

    @property
    def cut_bytes(self) -> int:
        return max(0, self.seen_bytes - self.head_bytes - self.tail_bytes)

    def bytes(self) -> bytes:
        cut = b"\n... %d bytes cut ...\n" % self.cut_bytes if self.cut_bytes else b""
        return bytes(self.head) + cut + bytes(self.tail[-self.tail_bytes :] if self.tail_bytes else b"")


class Pipes:
    """Pipe ends by name; the child's ends are handed on by number, ours are close-on-exec and non-blocking to read."""

    def __init__(self, *to_parent: str, to_child: tuple[str, ...] = (), wires: tuple[int, int] | None = None) -> None:
        """`wires` are what the child reads and writes in place of pipes "in" and "out" to us."""
        self.ours: dict[str, int] = {}
        self.theirs: dict[str, int] = {}
        for name in to_parent:
            self.ours[name], self.theirs[name] = os.pipe()
        for name in to_child:
            self.theirs[name], self.ours[name] = os.pipe()
        for name, wire in zip(("in", "out"), wires or (), strict=False):
            self.theirs[name] = os.dup(wire)

    def close_theirs(self) -> None:
        while self.theirs:
            os.close(self.theirs.popitem()[1])

    def close(self) -> None:
        self.close_theirs()
        while self.ours:
            os.close(self.ours.popitem()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
