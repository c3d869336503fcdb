"""The embedded Prefect server: started beside the run that needs it, ended with it, whatever ends the run.

Prefect's own ephemeral mode imports the whole server into the client as well (six seconds of CPU) and leaves the server
running when the client is killed. This one starts while the corpus is read, and dies with its parent.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.evidence.home import Home
from tasks.records.errors import Stopped

STARTUP_SECONDS = 180.0
EMBEDDED = "PROVEOUT_EMBEDDED"  # set while PREFECT_API_URL names a server of ours, whose address ends with the run
# PR_SET_PDEATHSIG ties the server to the thread that starts it, which therefore has to be the main one.
_PROGRAM = """
import ctypes, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
import uvicorn
uvicorn.run("prefect.server.api.server:create_app", factory=True, host="127.0.0.1", port=int(sys.argv[1]),
            log_level="error", lifespan="on", timeout_keep_alive=10)
"""


class PrefectServer:
    """One embedded server; `url` is its API."""

    def __init__(self, home: Home) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/api"
        with (home.log / "prefect-server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(port)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={
                    **os.environ,
                    "PREFECT_SERVER_API_PORT": str(port),
                    "PREFECT__SERVER_EPHEMERAL": "1",
                    "PREFECT__SERVER_FINAL": "1",
                    "PROVEOUT_SERVER_OF": str(os.getpid()),
                },
            )
        self._log = home.log / "prefect-server.log"

    def wait_until_ready(self) -> None:
        """Raises Stopped when it ends or does not answer in time; its log says why."""
        deadline = time.monotonic() + STARTUP_SECONDS
        while not self.healthy():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise Stopped(f"the embedded Prefect server did not start; see {str(self._log)!r}")
            time.sleep(0.05)

    def healthy(self) -> bool:
        """Whether it answers within two seconds."""
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=2) as answer:  # noqa: S310 - loopback
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        """Ask, then insist."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def prefect_api(home: Home) -> Iterator[PrefectServer | None]:
    """The server that PREFECT_API_URL names, or an embedded one for the time of the run."""
    if os.environ.get("PREFECT_API_URL"):
        yield None
        return
    server = PrefectServer(home)
    os.environ["PREFECT_API_URL"] = server.url
    os.environ[EMBEDDED] = "1"
    try:
        yield server
    finally:
        if server.healthy():
            drain()
        del os.environ["PREFECT_API_URL"], os.environ[EMBEDDED]
        server.stop()


def drain() -> None:
    """Send what Prefect's client still holds back: an exit after its server is gone stalls for every queued event."""
    if "prefect" in sys.modules:
        from prefect.events.worker import EventsWorker
        from prefect.logging.handlers import APILogWorker

        for worker in (EventsWorker, APILogWorker):
            worker.drain_all(timeout=10)
