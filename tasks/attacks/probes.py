"""Probes: the attacks on a sandbox, read from sandbox/*.toml, and one more for each system call that is denied."""

import functools
import platform
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from tasks.attacks.filters import denied_calls
from tasks.records.base import Record
from tasks.records.errors import Damaged
from tasks.workspace import confine

HERE = Path(__file__).parent / "sandbox"
After = Literal["", "zombies", "alive", "orphan", "victim"]
# Where -1 for every argument would do something.
HARMLESS = {"msgget": (0x0BADF00D, 0), "vhangup": (), "personality": (0xFFFFFFFF,)}


class Probe(Record):
    """One attempt. `gaps` are the tiers known to let it through; `ends` the ends that a sandbox that holds gives it."""

    name: str
    kind: str
    why: str
    code: str
    together: bool = False
    gaps: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    limits: dict[str, float] = Field(default_factory=dict)
    ends: tuple[str, ...] = ()
    after: After = ""


def _probes(path: Path) -> list[Probe]:
    written: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    shared = {"kind": written["kind"], "together": written.get("together", False)}
    return [Probe.model_validate({**shared, **one}) for one in written["probe"]]


def call_probe(name: str, number: int) -> Probe:
    """Whether the kernel looks at the call at all."""
    arguments = ", ".join(map(str, HARMLESS.get(name, ())))
    return Probe(
        name=f"system call {name}", kind="system call", together=True, why="kernel surface that no test needs",
        code=f"result = reaches({number}, {arguments})",
    )  # fmt: skip


@functools.cache
def probes() -> tuple[Probe, ...]:
    """All of them, by file; names are unique."""
    found = [probe for path in sorted(HERE.glob("*.toml")) for probe in _probes(path)]
    if confine.supported(platform.machine()):
        found += [call_probe(name, number) for name, number in denied_calls().items()]
    if len({probe.name for probe in found}) < len(found):
        raise Damaged("two probes have one name")
    return tuple(found)
