"""Frames: one JSON message behind its length, bounded before it is read and before it is sent.

Takes    a file descriptor; messages are dictionaries of what JSON can say without floats.
Gives    the next message, or Closed when the other side is gone.
Refuses  (Refused) what is too long, is no JSON object, or holds a number that JSON should not.
Covered  huge and garbage frames, frames cut short, nesting bombs, digits without end.
"""

import json
import os
from typing import Any, NoReturn

MAX_FRAME_BYTES = 8 << 20
HEADER_BYTES = 4

Message = dict[str, Any]


class Refused(BaseException):
    """What cannot cross, or came across malformed. No Exception: nobody's `raises` takes it for theirs."""


class Closed(Refused):
    """The other side hung up."""


def send(fd: int, message: Message) -> None:
    """Raises Refused, and then nothing was sent; or Closed."""
    body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
    if len(body) > MAX_FRAME_BYTES:
        raise Refused(f"{len(body)} bytes at once are too many")
    rest = memoryview(len(body).to_bytes(HEADER_BYTES, "big") + body)
    try:
        while rest:
            rest = rest[os.write(fd, rest) :]
    except OSError as error:
        raise Closed(str(error)) from None


def receive(fd: int) -> Message:
    """Raises Refused or Closed."""
    length = int.from_bytes(_exactly(fd, HEADER_BYTES), "big")
    if length > MAX_FRAME_BYTES:
        raise Refused(f"a frame of {length} bytes")
    body = _exactly(fd, length)
    try:
        message = json.loads(body, parse_float=_no_float, parse_constant=_no_float)
    except (ValueError, RecursionError, MemoryError):
        raise Refused("a frame that is no message") from None
    if type(message) is not dict:
        raise Refused("a frame that is no message")
    return message


def _no_float(text: str) -> NoReturn:
    raise ValueError(text)


def _exactly(fd: int, length: int) -> bytes:
    chunks = bytearray()
    while len(chunks) < length:
        try:
            chunk = os.read(fd, min(length - len(chunks), 1 << 20))
        except OSError as error:
            raise Closed(str(error)) from None
        if not chunk:
            raise Closed("the other side is gone")
        chunks += chunk
    return bytes(chunks)
