"""The grading kill matrix: the bench is copied, one defence is cut out of the copy, and cheats are tried on it.

Takes    a Ground, and the source of grading.py, runner.py and grading.ini as they are.
Gives    a Killed for each defence: proved alone, or with the patch gate or another wall opened too.
Refuses  a defence whose text the source no longer holds exactly once (Damaged).
Covered      every check of `Account`, every option of the runner, every variable: each is a defence here, or NO_WALL
             says why it is none; a test compares this with the source.
Source       DESIGN.md, principle 6.
"""

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tasks.attacks.cheats import Cheat, cheats
from tasks.attacks.grading_suite import Gate, Grading, Progress, open_gate, product_gate
from tasks.attacks.judges import Ground, InProcess, Judge
from tasks.attacks.rows import Killed
from tasks.records.errors import Damaged
from tasks.workspace import grading
from tasks.workspace.grading import Bench
from tasks.workspace.orders import private_folder
from tasks.workspace.sandbox import Limits

FILES = ("grading.py", "runner.py", "grading.ini")
SOURCES = Path(grading.__file__).parent
GATE = "the patch gate"


@dataclass(frozen=True)
class Cut:
    """One piece of source, and what stands there without the defence."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Defence:
    """What is cut out, the cheats that must see it, and the walls behind it."""

    name: str
    rows: tuple[str, ...]
    cuts: tuple[Cut, ...] = ()
    opens_gate: bool = False
    behind_gate: bool = False
    behind: tuple[tuple[str, tuple[Cut, ...]], ...] = ()


PATH_EARLY = Cut("runner.py", "    sys.path.append(site)\n", "    sys.path[:0] = [root]\n    sys.path.append(site)\n")
DEFENCES = (
    Defence(GATE, ("conftest-forces-passed", "conftest-below-tests", "conftest-plugins-list"), opens_gate=True),
    Defence(
        "the end is compared with the outside", ("records-without-an-end",),
        (Cut("grading.py", 'if how == "exit" and (account.status', 'if how == "never" and (account.status'),),
    ),
    Defence(
        "the exact node set", ("end-without-tests", "tests-redefined-in-the-caller"),
        (Cut("grading.py", 'else "missing"\n', 'else "passed"\n'),),
    ),
    Defence(
        "skips and expected failures are no passes", ("skip-from-the-code", "xfail-from-the-code", "unittest-skip"),
        (Cut("grading.py", '            return "skipped"\n', '            return "passed"\n'),),
    ),
    Defence(
        "setup, call and teardown all passed", ("records-of-setup-only",),
        (Cut("grading.py", '(phase, "passed") for phase in PHASES]', '(phase, "passed") for phase in outcomes]'),),
    ),
    Defence(
        "records in order", ("extra-records-before-the-real-ones",),
        (Cut("grading.py", 'raise Forged(f"{phase.when} out of turn")', "return"),),
    ),
    Defence(
        "nothing after the end", ("records-and-an-end-before-the-real-ones",),
        (Cut("grading.py", 'raise Forged("a record after the end")', "return"),),
    ),
    Defence(
        "records and not the exit status", ("os-exit-at-import", "exec-true", "atexit-exit"),
        (Cut(
            "grading.py", "        outcomes = {node: account.outcome(node) for node in nodes}\n",
            '        how, outcomes = "exit", dict.fromkeys(nodes, "passed" if ended.status == 0 else "failed")\n',
        ),),
    ),
    Defence(
        "hidden output stays here", ("leaks-the-hidden-tests",),
        (Cut("grading.py", '"" if hide_output else bounded(account.shown)', "bounded(account.shown)"),),
    ),
    Defence(
        "no bytecode in the tree", ("planted-bytecode-and-forge",),
        (Cut("grading.py", 'file.path.endswith((".pyc", ".pyo"))', "False"),),
        behind_gate=True, behind=(("pytest is imported before the tree is on the path", (PATH_EARLY,)),),
    ),
    Defence(
        "pytest is imported before the tree is on the path", ("shadow-pytest-and-forge",), (PATH_EARLY,),
        behind_gate=True,
    ),
    Defence(
        "an ini file of our own", ("pyproject-plugin",), (Cut("runner.py", '"-c", ini, ', ""),), behind_gate=True,
    ),
    Defence(
        "no plug-ins by entry point", ("entry-point-in-dist-info",),
        (Cut("grading.py", '"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", ', ""),), behind_gate=True,
        behind=(("pytest is imported before the tree is on the path", (PATH_EARLY,)),),
    ),
    Defence(
        "the interpreter starts without site", ("sitecustomize-empties-tests",),
        (Cut("grading.py", '"-s", "-S", "-P", "-B")', '"-B")'),), behind_gate=True,
        behind=(("the tree is on no path at the start", (
            Cut("grading.py", '"PYTHONHASHSEED": "0", ', '"PYTHONHASHSEED": "0", "PYTHONPATH": "/work", '),
        )),),
    ),
    Defence(
        "sealed tests lie on top", ("hidden-file-planted-before",),
        (Cut("grading.py", "else tree.overlaid(sealed)", "else sealed.overlaid(tree)"),),
        behind_gate=True,
    ),
)  # fmt: skip

NO_WALL = {
    '"hide" if hide_output': "the report drops what it is sent; this keeps it from being sent",
    'Forged("a field that is no text")': "keeps the reader from crashing; a forger can write text",
    'Forged("a record of an unknown kind")': "a forger can leave unknown kinds out",
    "--rootdir": "names nodes; decides nothing", "--confcutdir": "no file above the tree can be written",
    "no:cacheprovider": "the tree is read-only", "--tb=short": "text", "--color=no": "text", "--no-header": "text",
    "--show-capture=no": "text", "-q": "text", "--": "the end of the options", "-p": "takes a name",
    "--continue-on-collection-errors": "so that one broken file hides no other",
    "PYTHONHASHSEED": "repeatable", "NO_COLOR": "text", "TZ": "repeatable", "LANG": "text", "COLUMNS": "text",
    "PYTHONUTF8": "text",
}  # fmt: skip


@contextmanager
def without(cuts: Sequence[Cut]) -> Iterator[type[Bench]]:
    """The Bench of a copy of its source in which the cuts are made. Raises Damaged when a text is not there once."""
    with private_folder() as folder:
        folder.chmod(0o755)
        for name in FILES:
            text = (SOURCES / name).read_text(encoding="utf-8")
            for cut in cuts:
                if cut.file == name:
                    if text.count(cut.old) != 1:
                        raise Damaged(f"{name} holds {cut.old!r} {text.count(cut.old)} times, expected once")
                    text = text.replace(cut.old, cut.new)
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o644)
        name = f"proveout_weakened_{folder.name.replace('-', '_')}"
        spec = importlib.util.spec_from_file_location(name, folder / "grading.py")
        if spec is None or spec.loader is None:
            raise Damaged("the copy of grading.py cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # where dataclasses look
        try:
            spec.loader.exec_module(module)
            yield module.Bench
        finally:
            del sys.modules[name]


def _fooled(ground: Ground, chosen: Sequence[Cheat], cuts: Sequence[Cut], gate: Gate) -> tuple[str, ...]:
    with without(cuts) as bench:

        def weak(ground: Ground, limits: Limits) -> Judge:
            return InProcess(ground, limits, bench)

        suite = Grading(
            ground, {"in-process": weak}, gate, dict.fromkeys((cheat.name for cheat in chosen), "not asked")
        )
        return tuple(row.attack for row in suite.rows(["in-process"], chosen) if row.observed == "fooled")


def kill(ground: Ground, defence: Defence) -> Killed:
    """Cut one defence out; if no cheat gets through, open what stands behind it, one wall more at a time."""
    chosen = [cheat for cheat in cheats() if cheat.name in defence.rows]
    label = f"in-process: {defence.name}"
    gate = open_gate if defence.opens_gate else product_gate
    if red := _fooled(ground, chosen, defence.cuts, gate):
        return Killed(suite="grading", defence=label, rows=red, proof="proved")
    names, cuts = [], list(defence.cuts)
    steps: list[tuple[str, tuple[Cut, ...]]] = [*([(GATE, ())] if defence.behind_gate else []), *defence.behind]
    for name, more in steps:
        names.append(name)
        cuts += more
        gate = open_gate if defence.behind_gate else gate
        if red := _fooled(ground, chosen, cuts, gate):
            return _redundant(ground, defence, chosen, cuts, gate, names, red, label)
    return Killed(suite="grading", defence=label, rows=(), proof="not proved", note="no cheat got through")


def _redundant(
    ground: Ground, defence: Defence, chosen: Sequence[Cheat], cuts: Sequence[Cut], gate: Gate, names: Sequence[str],
    red: tuple[str, ...], label: str,
) -> Killed:  # fmt: skip
    """Only if the defence holds by itself when everything behind it is open: else it was the others that gave way."""
    alone = [cut for cut in cuts if cut not in defence.cuts]
    held = set(red) - set(_fooled(ground, chosen, alone, gate))
    proof = "redundant" if held else "not proved"
    return Killed(
        suite="grading", defence=label, rows=tuple(sorted(held)), proof=proof, redundant_with=tuple(names),
        note="" if held else "gives way together with the others",
    )  # fmt: skip


def run(ground: Ground, progress: Progress | None = None) -> list[Killed]:
    """Every defence of the in-process tier."""
    killed = []
    for number, defence in enumerate(DEFENCES, start=1):
        killed.append(kill(ground, defence))
        if progress:
            progress("kill matrix, in-process", number, len(DEFENCES))
    return killed
