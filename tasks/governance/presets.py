"""Presets: the policies that ship, as TOML beside this file, and a spec's own keys laid over one of them.

Takes    the `[policy]` table of a spec, of any shape.
Gives    the whole table: the preset's rule, version and values, the spec's keys over them, and which keys those were.
Refuses  a preset that does not ship; a spec that writes down what only a preset may say (`version`, `rule`).
Source   DESIGN.md, "Statistics and policy".

What is frozen is the resolved table, so that a manifest means the same when a later preset says something else.
"""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from tasks.records.errors import Refusal

DEFAULT = "paired"
FOLDER = files("tasks.governance") / "policies"
OF_A_PRESET = ("rule", "version", "overridden")


def names() -> tuple[str, ...]:
    """The presets that ship, sorted."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in FOLDER.iterdir() if file.name.endswith(".toml")))


def resolved(written: object) -> object:
    """A spec's policy over its preset; what is no table goes back as it came, to be refused with the rest of the spec.

    Raises Refusal, naming the preset or the key.
    """
    if not isinstance(written, Mapping):
        return written
    name, known = written.get("preset", DEFAULT), names()
    if name not in known:
        raise Refusal(f"policy.preset {name!r} is none of those that ship: {', '.join(known)}")
    if told := [key for key in OF_A_PRESET if key in written]:
        raise Refusal(f"policy.{told[0]} belongs to a preset; a spec names the preset and sets the other keys")
    values = preset(name)
    own = {key: value for key, value in written.items() if key != "preset"}
    changed = sorted(key for key, value in own.items() if values.get(key) != value)
    return {**values, **own, "preset": name, "overridden": changed}


def preset(name: str) -> dict[str, Any]:
    """The table of one that ships."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
