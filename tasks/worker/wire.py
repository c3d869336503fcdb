"""The wire between worker and parent: one JSON object a line, bounded, over two pipes.

Nothing but JSON crosses: no pickle, so that neither side can make the other run code.
"""

import json
from typing import Any, BinaryIO

MAX_FRAME_BYTES = 32 << 20


class WireError(Exception):
    """The other side ended, or sent something that is no frame."""


class Channel:
    """Half-duplex framing over two binary files."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader, self._writer = reader, writer

    def send(self, frame: dict[str, Any]) -> None:
        """Raises WireError when the other side is gone or the frame is over 32 MiB."""
        line = json.dumps(frame, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        if len(line) > MAX_FRAME_BYTES:
            raise WireError(f"a frame of {len(line)} bytes is over the limit of {MAX_FRAME_BYTES}")
        try:
            self._writer.write(line)
            self._writer.flush()
        except OSError as error:
            raise WireError("the other side is gone") from error

    def receive(self) -> dict[str, Any]:
        """The next frame. Raises WireError at the end of the pipe, for an overlong line, or for what is no object."""
        line = self._reader.readline(MAX_FRAME_BYTES + 1)
        if not line.endswith(b"\n"):
            raise WireError("the other side is gone" if len(line) <= MAX_FRAME_BYTES else "a frame is over the limit")
        try:
            frame = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise WireError("the other side sent no JSON") from error
        if not isinstance(frame, dict):
            raise WireError("the other side sent no JSON object")
        return frame

    def ask(self, frame: dict[str, Any]) -> dict[str, Any]:
        """Send, then wait for the answer."""
        self.send(frame)
        return self.receive()
