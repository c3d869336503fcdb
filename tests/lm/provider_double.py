"""A provider's server for tests: real HTTP on loopback, in OpenAI's and Ollama's dialects; it fails when told to.

Takes    a brain (a request's body to a reply's text) and a list of faults; each request takes the next fault, if any.
Gives    its address, every request that it received, and how often it answered each body well.
Not covered  streaming, tools, TLS.
"""

import json
import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

READY = "ready"


@dataclass
class Received:
    """One request as it came."""

    path: str
    headers: Message
    body: dict


@dataclass
class Double:
    """The double's state; `answered` counts good answers by body, `port` stays the same when it goes down and up."""

    brain: Callable[[dict], str]
    faults: deque = field(default_factory=deque)
    received: list[Received] = field(default_factory=list)
    answered: Counter = field(default_factory=Counter)
    port: int = 0
    server: ThreadingHTTPServer | None = None
    dies_after: int | None = None  # requests received; the last of them is still answered

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    def up(self) -> "Double":
        """Start to listen, on the port that it had."""
        double = self

        class Handler(_Handler):
            owner = double

        self.server = _Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def down(self) -> None:
        """Connections are refused from here on."""
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None


def ready(body):
    """The same word for everything."""
    return READY


@contextmanager
def serving(brain=ready, faults=()):
    """A double for the time of a test."""
    double = Double(brain=brain, faults=deque(faults)).up()
    try:
        yield double
    finally:
        double.down()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        """A client that went away is no matter."""


class _Handler(BaseHTTPRequestHandler):
    owner: Double

    def log_message(self, *args):
        """Nothing on stderr."""

    def do_POST(self):
        """The next fault, else a good answer."""
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        received = Received(self.path, self.headers, json.loads(raw))
        self.owner.received.append(received)
        if len(self.owner.received) == self.owner.dies_after:
            self.owner.down()
        fault = self.owner.faults.popleft() if self.owner.faults else None
        if fault is None:
            self.owner.answered[json.dumps(received.body, sort_keys=True)] += 1
            self.send(200, completion(self.path, received.body, self.owner.brain(received.body)))
        else:
            fault(self)

    def send(self, status, body, **headers):
        """An answer of bytes, or of something that is JSON."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(raw), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(raw)


def completion(path, body, text, finish="stop"):
    """A good answer in the dialect of the path."""
    asked = sum(len(str(message["content"])) for message in body.get("messages", []))
    tokens, told = asked // 4, len(text or "") // 4
    if path.endswith("/api/chat"):
        message = {"role": "assistant", "content": text}
        counts = {"prompt_eval_count": tokens, "eval_count": told}
        when = "2024-01-01T00:00:00Z"
        return {
            "model": body["model"],
            "created_at": when,
            "message": message,
            "done": True,
            "done_reason": finish,
            **counts,
        }
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": tokens, "completion_tokens": told, "total_tokens": tokens + told}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": body.get("model", "")}
    return {**head, "choices": [choice], "usage": usage}


def saying(text, finish="stop"):
    """An answer with this content."""
    return lambda handler: handler.send(200, completion(handler.path, handler.owner.received[-1].body, text, finish))


def status(code, body=None, **headers):
    """An HTTP error."""
    told = {"error": {"message": f"trouble {code}", "type": "trouble"}} if body is None else body
    return lambda handler: handler.send(code, told, **headers)


def raw(body, code=200, **headers):
    """Bytes as they are."""
    return lambda handler: handler.send(code, body, **headers)


def slow(seconds):
    """Nothing for a while, then a good answer to whoever still listens."""

    def fault(handler):
        time.sleep(seconds)
        saying(READY)(handler)

    return fault


def dripping(seconds):
    """Headers at once, then a byte at a time, each well within any limit on silence."""

    def fault(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        for _ in range(int(seconds / 0.05)):
            handler.wfile.write(b" ")
            time.sleep(0.05)

    return fault


def cut(handler):
    """The connection is reset before an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.wfile = handler.rfile  # nothing more is written


def half(handler):
    """The connection ends in the middle of a body."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"id": "c1", "choi')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def echoing_key(code):
    """A refusal that shows the key that it was given."""
    return lambda handler: handler.send(
        code, {"error": {"message": f"Incorrect key: {handler.headers['Authorization']}", "code": "invalid_api_key"}}
    )
