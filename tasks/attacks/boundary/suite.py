"""The boundary suite: every attack on a fresh repository, through every tool and through the walk that reads it.

Takes    how a repository is opened: from its folder to something that answers declared calls and can be gone through.
Gives    a Row per attack; `leaked` if the secret, a place of this machine, or more than the declared size came back, if
         an attack ended in an exception of ours, or if an answer took longer than PATIENCE_SECONDS.
Refuses  nothing; what this machine or user cannot plant is `unexercised`.
Covered      spellings of paths, links, names that are shut in, devices, wrong types, injected arguments, floods,
             patterns, through search, read, symbols, and through the walk itself.
Not covered  swaps while the walk reads; what a repository's own text talks a model into.
Source       DESIGN.md, "Tool boundary".
"""

import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tasks.attacks.boundary.calls import FIRST, abuses
from tasks.attacks.boundary.ground import MARK, Ground, made
from tasks.attacks.boundary.plants import Plant, plants
from tasks.attacks.boundary.spellings import spellings
from tasks.attacks.rows import Observed, Row, SuiteReport
from tasks.records.errors import Refusal

MOST_BYTES, MOST_LINES, PATIENCE_SECONDS = 8_000, 120, 10.0
WALK, SOMEWHERE = "walk", "SOMEWHERE"
CARRIERS = ("read_file", "search_repository", "inspect_symbol", WALK)


class Opened(Protocol):
    """A repository as a model and as the harness see it."""

    def answer(self, tool: str, arguments: dict[str, Any]) -> str:
        """What the model reads."""
        ...

    def everything(self) -> str:
        """Every path and every content that was read."""
        ...


Opening = Callable[[Path], Opened]
Progress = Callable[[str, int, int], None]


class TimedOut(Exception):
    """An attack that hangs."""


class Attack(NamedTuple):
    """One call on one repository; a walk asks nothing."""

    name: str
    kind: str
    carrier: str
    planted: Callable[[Ground], object]
    arguments: Callable[[Ground], dict[str, Any]]
    tool: str = ""


def attacks() -> Iterator[Attack]:
    """All of them; the carrier and the name together are unique."""
    yield from _spelled()
    for plant in plants():
        yield from _planted(plant)
    for abuse in abuses():
        carrier = abuse.tool if abuse.tool in FIRST else "read_file"
        yield Attack(
            f"{abuse.kind}: {abuse.name}",
            abuse.kind,
            carrier,
            abuse.prepared,
            partial(_said, abuse.arguments),
            abuse.tool,
        )


def _spelled() -> Iterator[Attack]:
    """Each spelling as a path, a query and a name; what is shut in is planted first."""
    for name, kind, path in spellings(f"/{SOMEWHERE}"):
        planted = partial(_plant_shut_in, path) if kind == "shut in" else _nothing
        for tool, first in FIRST.items():
            yield Attack(name, kind, tool, planted, partial(_placed, first, path), tool)


def _placed(argument: str, path: str, ground: Ground) -> dict[str, Any]:
    """A spelling about this ground's own folder."""
    return {argument: path.replace(SOMEWHERE, str(ground.folder)[1:])}


def _nothing(ground: Ground) -> None:
    del ground


def _plant_shut_in(path: str, ground: Ground) -> None:
    file = Path(os.path.normpath(ground.repo / path))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(ground.held)


def _planted(plant: Plant) -> Iterator[Attack]:
    """Each plant by its path, by a search for what it holds, by the name that it defines, and by the walk."""
    asked: dict[str, dict[str, Any]] = {
        "read_file": {"path": plant.path}, "search_repository": {"query": MARK},
        "inspect_symbol": {"name": "LEAK"}, WALK: {},
    }  # fmt: skip
    for carrier in CARRIERS:
        if carrier != "inspect_symbol" or plant.path.endswith(".py"):
            tool = "" if carrier == WALK else carrier
            yield Attack(plant.name, plant.kind, carrier, plant.planted, partial(_said, asked[carrier]), tool)


def _said(arguments: dict[str, Any], ground: Ground) -> dict[str, Any]:
    del ground
    return arguments


def run(opening: Opening, kinds: Collection[str] = ()) -> tuple[Row, ...]:
    """Every attack, or those of some kinds, each in a folder of its own."""
    return tuple(_row(attack, opening) for attack in attacks() if not kinds or attack.kind in kinds)


def report(opening: Opening, carrier: str = "", progress: Progress = lambda *_: None) -> SuiteReport:
    """Every attack, or those by one carrier, and how long they took."""
    chosen = [attack for attack in attacks() if carrier in ("", attack.carrier)]
    rows: list[Row] = []
    seconds: dict[str, float] = {}
    for number, attack in enumerate(chosen, start=1):
        begun = time.monotonic()
        rows.append(_row(attack, opening))
        seconds[attack.carrier] = seconds.get(attack.carrier, 0.0) + time.monotonic() - begun
        progress("attacks", number, len(chosen))
    return SuiteReport(suite="boundary", rows=tuple(rows), seconds=seconds)


def _row(attack: Attack, opening: Opening) -> Row:
    with tempfile.TemporaryDirectory(prefix="boundary-") as folder:
        observed, note = _tried(attack, made(Path(folder)), opening)
    return Row(
        suite="boundary", tier=attack.carrier, attack=attack.name, kind=attack.kind, why=WHY[attack.kind],
        expected="blocked", observed=observed, note=note,
    )  # fmt: skip


def _tried(attack: Attack, ground: Ground, opening: Opening) -> tuple[Observed, str]:
    try:
        attack.planted(ground)
    except (OSError, ValueError) as error:
        return "unexercised", f"cannot be planted here: {type(error).__name__}"
    try:
        with deadline():
            opened = opening(ground.repo)
            said = (
                opened.answer(attack.tool, attack.arguments(ground)) if attack.carrier != WALK else opened.everything()
            )
    except Refusal:
        return "blocked", "refused"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a hole
        return "leaked", f"ended in {type(error).__name__}"
    return judged(attack, ground, said)


def judged(attack: Attack, ground: Ground, said: str) -> tuple[Observed, str]:
    """What came back, held against what never may."""
    if ground.secret in said:
        return "leaked", "the secret"
    if "root:x:0:0" in said or "PATH=" in said:
        return "leaked", "a file of this machine"
    asked = str(attack.arguments(ground))
    if str(ground.folder) in said and str(ground.folder) not in asked:
        return "leaked", "a place of this machine"
    if attack.carrier != WALK and (len(said.encode(errors="replace")) > MOST_BYTES or said.count("\n") >= MOST_LINES):
        return "leaked", "more than the declared size"
    return "blocked", ""


@contextmanager
def deadline() -> Iterator[None]:
    """Raises TimedOut in here when it takes too long; only the main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise TimedOut

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


WHY = {
    "escape": "a path that leaves the root", "foreign form": "a path as another system reads it",
    "disguise": "a way out that a later layer would decode", "shut in": "history and secrets inside of the root",
    "link": "a link is a way out that needs no path", "device": "what hangs or floods when it is opened",
    "wrong type": "a model fills in whatever it likes", "injected argument": "the root is no argument of anything",
    "tool name": "what is not declared is not there", "range": "numbers beyond the file",
    "flood": "an answer that drowns the context", "pattern": "a search that never ends",
}  # fmt: skip
