"""Starting the confined worker and serving it: one task, until its frame `done`.

Takes    a sandbox, a task that is plain JSON, and both brokers.
Gives    the fields of the worker's last frame.
Refuses  a worker that ends early, stays silent or speaks nonsense (Damaged). Trouble of a provider, a budget or the
         sandbox ends the worker at once and leaves as itself, so that nothing inside can turn it into a score.

Covered      no network, no environment of the parent, no view of datasets/, the state folder or keys: the worker sees
             the interpreter, the installed packages, and of our own code the rooms that it runs.
Not covered  what the parent itself sends; canaries are looked for in all of it by the audit.
"""

import shutil
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

import tasks
from tasks.records.errors import Damaged, SandboxTrouble
from tasks.records.model import ModelRequest
from tasks.worker.grading_broker import GradingBroker
from tasks.worker.model_broker import ModelBroker
from tasks.worker.wire import Channel, WireError
from tasks.workspace.orders import private_folder
from tasks.workspace.sandbox import Job, Limits, Mount, Running, Sandbox

SILENCE_SECONDS = 300.0
ROOMS_AT = "/opt/proveout"
ROOMS = ("records", "program", "optimizers", "worker", "workspace")
LIMITS = Limits(
    wall_seconds=None,  # the parent ends a worker that is silent, and buys no call beyond the budget's seconds
    cpu_seconds=None,
    memory_bytes=4 << 30,
    tmp_bytes=256 << 20,
    processes=64,
    open_files=256,
)


def serve(task: Mapping[str, Any], sandbox: Sandbox, models: ModelBroker, grading: GradingBroker) -> dict[str, Any]:
    """Run one task in a fresh confined worker. Raises Damaged, Stopped."""
    with private_folder() as folder:
        return _served(task, sandbox.start(worker_job(folder)), models, grading)


def _served(task: Mapping[str, Any], running: Running, models: ModelBroker, grading: GradingBroker) -> dict[str, Any]:
    watch = Watch(running)
    try:
        channel = Channel(running.reader, running.writer)
        channel.send(dict(task))
        while (frame := watch.over(channel.receive)).get("op") != "done":
            channel.send(_answer(frame, models, grading))
    except WireError as error:
        running.kill()
        said = f"it said nothing for {SILENCE_SECONDS:g} s" if watch.expired else _last_line(running.stderr)
        raise Damaged(f"the worker ended early ({error}): {said}") from error
    except (ValidationError, LookupError, TypeError, ValueError) as error:
        raise Damaged(f"the worker sent a frame that is none: {type(error).__name__}: {error}") from error
    finally:
        running.kill()
    return frame


class Watch:
    """Kills a worker that stays silent; what it does between two frames takes seconds, not minutes."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self.expired = False

    def over(self, wait: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Wait for one frame."""
        timer = threading.Timer(SILENCE_SECONDS, self._expire)
        timer.daemon = True
        timer.start()
        try:
            return wait()
        finally:
            timer.cancel()

    def _expire(self) -> None:
        self.expired = True
        self._running.kill()


def _answer(frame: Mapping[str, Any], models: ModelBroker, grading: GradingBroker) -> dict[str, Any]:
    operation = str(frame.get("op"))
    if operation == "complete":
        return {"reply": models.complete(ModelRequest.model_validate(frame["request"])).body()}
    answers = {
        "turn": grading.turn,
        "reproduce": grading.reproduce,
        "validate": grading.validate,
        "ended": grading.ended,
        "halted": grading.halted,
    }
    if operation not in answers:
        raise Damaged(f"the worker asked for {operation!r}, which no broker answers")
    try:
        return answers[operation](frame)
    except SandboxTrouble as trouble:
        return grading.broken(trouble)


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else "it said nothing"


def worker_job(folder: Path) -> Job:
    """The worker's whole world: interpreter, installed packages, and a copy of five of our rooms, all read-only."""
    copy_rooms(folder / "rooms")
    sources = {Path(sys.base_prefix), Path(sys.prefix), Path(sysconfig.get_paths()["purelib"])}
    mounts = [Mount(source=path, target=str(path)) for path in sorted(sources)]
    return Job(
        argv=(sys.executable, "-s", "-P", "-B", "-m", "tasks.worker.main"),
        mounts=(*mounts, Mount(source=folder / "rooms", target=ROOMS_AT)),
        chdir="/tmp",  # noqa: S108 - the sandbox's own
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": "/tmp",  # noqa: S108
            "TMPDIR": "/tmp",  # noqa: S108
            "PYTHONPATH": ROOMS_AT,
            "PYTHONHASHSEED": "0",
            "PYTHONWARNINGS": "ignore",
            "LANG": "C.UTF-8",
            "DSPY_CACHEDIR": "/tmp/dspy",  # noqa: S108
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "DO_NOT_TRACK": "true",
        },
        limits=LIMITS,
    )


def copy_rooms(folder: Path) -> None:
    """Our rooms without their neighbours; copies keep their times, so that compiled files stay valid."""
    ours = Path(tasks.__file__).resolve().parent
    for room in ROOMS:
        shutil.copytree(ours / room, folder / "tasks" / room)
    shutil.copy2(ours / "__init__.py", folder / "tasks" / "__init__.py")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
