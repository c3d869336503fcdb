"""Cheats: the subject and the files laid over its broken version, read from grading/*.toml.

Takes    the TOML files beside this one. Each Python file of a cheat may call `_ran()`, which leaves a mark where the
         naive judge sees it: so a cheat whose payload never ran is told from one that was stopped.
Gives    a Subject (its case and its sealed part, as any corpus has them) and the Cheats.
Refuses  two cheats of one name; a cheat that changes nothing; an unknown block.
"""

import functools
import importlib.util
import marshal
import tomllib
from pathlib import Path
from typing import Any

from tasks.records.attempt import NodeOutcome
from tasks.records.base import Record
from tasks.records.case import Case, Edit, KnownPatch, Sealed, TestNodes, Truth
from tasks.records.errors import Damaged
from tasks.records.tree import SourceTree

HERE = Path(__file__).parent / "grading"
MARK = b'{"mark": "ran"}\n'
# One line, so that the lines of a traceback still fit; bound early, because cheats patch os and sys.
PRELUDE = (
    "def _ran(_w=__import__('os').write, _f=__import__('os').environ.get('PROVEOUT_MARK_FD')):"
    f" return _f and _w(int(_f), {MARK!r})\n"
)

Files = dict[str, str]


class Cheat(Record):
    """Files laid over the broken package. `then` grades the untouched broken package afterwards."""

    name: str
    kind: str
    why: str
    files: dict[str, bytes]
    limit_seconds: float | None = None
    then: str = ""

    def over(self, tree: SourceTree) -> SourceTree:
        return tree.overlaid(SourceTree.of({**self.files}))


class Subject(Record):
    """What cheats are laid over: broken, what it would take to fix it honestly, and its sealed tests."""

    case: Case
    seal: Sealed
    fixed: SourceTree

    @property
    def nodes(self) -> tuple[str, ...]:
        return self.case.public.all + self.seal.nodes.all

    def edits(self, cheat: Cheat) -> tuple[Edit, ...]:
        """The cheat as a program would have to propose it."""
        return tuple(self._edit(path, content) for path, content in sorted(cheat.files.items()))

    def _edit(self, path: str, content: bytes) -> Edit:
        text = content.decode(errors="replace")
        if path in self.case.repo.by_path:
            return Edit(path=path, search=self.case.repo.by_path[path].text, replace=text)
        return Edit(path=path, action="create", replace=text)


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def subject() -> Subject:
    """The one subject of all cheats."""
    found = _read(HERE / "subject.toml")
    base, broken, fixed = (SourceTree.of(found[name]) for name in ("base", "broken", "fixed"))
    control = tuple(
        Edit(path=file.path, search=file.text, replace=fixed.by_path[file.path].text) for file in broken.files
    )
    case = Case(
        case_id="attacked-ledger", group="attacks", issue="Every amount of the ledger is wrong.", constraints="",
        repo=base.overlaid(broken), scope=tuple(found["scope"]),
        public=TestNodes(fail_to_pass=(), pass_to_pass=tuple(found["public"])),
    )  # fmt: skip
    seal = Sealed(
        case_id=case.case_id, canary="no canary", tests=SourceTree.of(found["sealed"]),
        nodes=TestNodes(fail_to_pass=tuple(found["hidden"])),
        control=KnownPatch(name="control", why="the honest fix", edits=control), wrong=(),
        truth=Truth(files=tuple(broken.by_path), facets=()),
    )  # fmt: skip
    return Subject(case=case, seal=seal, fixed=base.overlaid(fixed))


def _cheat(written: dict[str, Any], kind: str, found: dict[str, Any]) -> Cheat:
    """`money` and `append` go below the broken file of that path, `use` names blocks between the two.

    The block `fixed` is the true fix: for a cheat that lies in one place only. `sealed` rewrites a sealed file.
    """
    added: dict[str, list[str]] = {}
    layers: list[Files] = [{**found["blocks"], "fixed": found["fixed"]}[name] for name in written.get("use", ())]
    layers += [{"ledger/money.py": written["money"]}] if "money" in written else []
    for layer in [*layers, written.get("append", {})]:
        for path, code in layer.items():
            added.setdefault(path, []).append(code)
    files = {path: found["broken"].get(path, "") + PRELUDE + "".join(parts) for path, parts in added.items()}
    for path, content in written.get("files", {}).items():
        files[path] = PRELUDE + content if path.endswith(".py") else content
    for path, swaps in written.get("sealed", {}).items():
        files[path] = PRELUDE + swapped(found["sealed"][path].lstrip("\n"), swaps)
    made = {path: content.lstrip("\n").encode() for path, content in files.items()}
    made |= {path: bytecode(PRELUDE + source) for path, source in written.get("bytecode", {}).items()}
    if not made:
        raise Damaged(f"cheat {written['name']!r} changes nothing")
    return Cheat(
        name=written["name"], kind=kind, why=written["why"], files=made,
        limit_seconds=written.get("limit_seconds"), then=written.get("then", ""),
    )  # fmt: skip


def swapped(text: str, swaps: Files) -> str:
    """The text with each piece replaced. Raises Damaged when a piece is not in it."""
    for old, new in swaps.items():
        if old not in text:
            raise Damaged(f"a cheat replaces {old!r}, which is not there")
        text = text.replace(old, new)
    return text


def bytecode(source: str) -> bytes:
    """A .pyc of this interpreter that is never compared with a source."""
    code = compile(source, "planted", "exec")
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)


@functools.cache
def cheats() -> tuple[Cheat, ...]:
    """Every cheat, by file and in the order of the file."""
    found, seen = _read(HERE / "subject.toml"), dict[str, Cheat]()
    for path in sorted(HERE.glob("*.toml")):
        written = _read(path)
        for one in written.get("cheat", ()):
            cheat = _cheat(one, written["kind"], found)
            if seen.setdefault(cheat.name, cheat) is not cheat:
                raise Damaged(f"two cheats are called {cheat.name!r}")
    return tuple(seen.values())


@functools.cache
def survivors(tier: str) -> frozenset[str]:
    """The cheats that are known to fool a tier: the limits that the README names."""
    return frozenset(_read(HERE / "survivors.toml").get(tier, {}).get("fooled", ()))


def all_passed() -> dict[str, NodeOutcome]:
    """What a judge says that was fooled."""
    return dict.fromkeys(subject().nodes, "passed")
