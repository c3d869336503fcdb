"""What a validation costs: a tree of two tests, judged, against plain `python -m pytest` of the same, interleaved.

Plain is what a person would type: default flags, in the tree, in a virtual environment of the same interpreter that
holds the same pytest; its bytecode is warm. A validation is all of Bench.test: write the tree, run, judge, clean up.

Run from the checkout: python tests/benchmarks/bench_validation.py [--rounds 40] [--profile]
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import itertools

from tasks.records.errors import SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace import grading
from tasks.workspace.environment import prepare
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.grading import Account, Bench
from tasks.workspace.ladder import TIERS, choose
from tasks.workspace.supervise import Tree, Watch
from tasks.workspace.workspaces import materialise

TREE = SourceTree.of({"tests/test_two.py": "def test_one(): pass\ndef test_two(): assert 1 + 1 == 2\n"})
NODES = ("tests/test_two.py::test_one", "tests/test_two.py::test_two")
LAUNCHED = "launcher start, bubblewrap start"
TARGETS = {"bubblewrap": 1.3, "fork server": 0.5}
# The runner tells the time where one part of its work ends and the next begins; the clock is the machine's.
MARKED = (
    ("import gc\n", "import time\nMARKS = [('interpreter start', time.monotonic())]\nimport gc\n"),
    ("    import pytest\n", "    import pytest\n    MARKS.append(('import pytest', time.monotonic()))\n"),
    ("        gc.freeze()\n", "        gc.freeze()\n        MARKS.append(('import plugins', time.monotonic()))\n"),
    (
        "    def pytest_collection_modifyitems",
        (
            "    def pytest_sessionstart(self) -> None:\n"
            "        MARKS.append(('configure', time.monotonic()))\n\n"
            "    def pytest_sessionfinish(self) -> None:\n"
            "        MARKS.append(('tests', time.monotonic()))\n\n"
            "    def pytest_collection_modifyitems"
        ),
    ),
    (
        "        items[:] = [",
        "        MARKS.append(('collection', time.monotonic()))\n        items[:] = [",
    ),
    (
        '    wire.send({"kind": "end"',
        (
            "    MARKS.append(('pytest teardown', time.monotonic()))\n"
            "    os.write(1, b'MARKS ' + json.dumps(MARKS).encode())\n"
            '    wire.send({"kind": "end"'
        ),
    ),
)


def timed(act):
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1e3


def virtual_environment(folder, environment):
    """What `python -m venv` makes, with the built environment as its site-packages; its interpreter."""
    packages = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    packages.parent.mkdir(parents=True)
    packages.symlink_to(environment.site)
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(environment.python)
    (folder / "pyvenv.cfg").write_text(f"home = {environment.python.parent}\ninclude-system-site-packages = false\n")
    return folder / "bin" / "python"


def plain(python, folder):
    subprocess.run(
        (python, "-m", "pytest", *NODES), env={"PATH": "/usr/bin:/bin"}, cwd=folder, check=True, capture_output=True
    )


def compare(home, environment, rounds):
    """Print median and minimum of each, and the ratios to plain."""
    materialise(TREE, home / "tree")
    python = virtual_environment(home / "venv", environment)
    benches = {}
    for tier in TIERS:
        try:
            benches[tier] = Bench(choose(tier=tier), environment)
        except SandboxUnavailable as unavailable:
            print(f"{tier}: {unavailable}")
    with ForkServer(choose(tier="bubblewrap")) as server:
        benches["fork server"] = Bench(server, environment)
        acts = {"plain pytest": lambda: plain(python, home / "tree")}
        acts |= {name: lambda bench=bench: bench.test(TREE, NODES) for name, bench in benches.items()}
        took = {name: [] for name in acts}
        for act in acts.values():  # whatever is only done once is not what is asked for
            act()
        if server.why_cold:
            print(server.why_cold)
        for _ in range(rounds):
            for name, act in acts.items():
                took[name].append(timed(act))
    show(took)


def show(took):
    base = took["plain pytest"]
    for name, times in took.items():
        ratio = statistics.median(times) / statistics.median(base)
        target = TARGETS.get(name)
        verdict = "" if target is None else f"  target <= {target}: {'met' if ratio <= target else 'MISSED'}"
        print(
            f"{name:14} median {statistics.median(times):6.1f} ms  min {min(times):6.1f} ms"
            f"  ratio of medians {ratio:5.2f}  of minima {min(times) / min(base):5.2f}{verdict}"
        )


class Boundaries:
    """Timestamps at the boundaries of one cold validation, from both sides of the wall."""

    def __init__(self):
        self.marks = []

    def reach(self, name):
        if name and not (name == LAUNCHED and any(name == known for known, _ in self.marks)):
            self.marks.append((name, time.monotonic()))

    def around(self, owner, method, before, after):
        """Mark the start and the end of every call of `method`; an empty name marks nothing."""
        inner = getattr(owner, method)

        def outer(*words, **named):
            self.reach(before)
            given = inner(*words, **named)
            self.reach(after)
            return given

        setattr(owner, method, outer)
        return lambda: setattr(owner, method, inner)

    def parts(self):
        """Part of the work and its milliseconds, in order of time."""
        ordered = sorted(self.marks, key=lambda mark: mark[1])
        return [(name, (now - before) * 1e3) for (_, before), (name, now) in itertools.pairwise(ordered)]


def marked_runner(folder):
    """The runner that tells the time."""
    text = (grading.HERE / "runner.py").read_text()
    for old, new in MARKED:
        if text.count(old) != 1:
            raise SystemExit(f"the profile does not know this runner any more: {old!r}")
        text = text.replace(old, new)
    folder.mkdir(mode=0o755)
    (folder / "runner.py").write_text(text)
    (folder / "grading.ini").write_text((grading.HERE / "grading.ini").read_text())
    return folder


def profile(home, environment, rounds):
    """Print where the time of a cold validation goes: the median of each part, in order."""
    grading.HERE = marked_runner(home / "marked")
    bench = Bench(choose(tier="bubblewrap"), environment)
    bench.test(TREE, NODES)  # whatever is only done once is not what is asked for
    took = {}
    for _ in range(rounds):
        boundaries = Boundaries()
        undo = [
            boundaries.around(Bench, "_job", "", "prepare the tree"),
            boundaries.around(Tree, "__init__", "", "spawn the launcher"),
            boundaries.around(Watch, "_loop", "", "exit of interpreter and bubblewrap"),
            boundaries.around(Tree, "end", "", "end of the namespace"),
            boundaries.around(Watch, "to_the_end", "", "drain"),
            boundaries.around(Account, "read", "", "parse the records"),
            boundaries.around(Tree, "note", LAUNCHED, ""),
        ]
        inner, ended = bench.sandbox.run, []
        bench.sandbox.run = lambda job, inner=inner, ended=ended: ended.append(inner(job)) or ended[0]
        boundaries.reach("start")
        bench.test(TREE, NODES)
        boundaries.reach("report")
        del bench.sandbox.run
        for back in undo:
            back()
        boundaries.marks += marks_of(ended[0].stdout)
        for name, milliseconds in boundaries.parts():
            took.setdefault(name, []).append(milliseconds)
    total = sum(statistics.median(times) for times in took.values())
    for name, times in took.items():
        part = statistics.median(times)
        print(f"{name:36} median {part:6.1f} ms  min {min(times):6.1f} ms  {part / total:5.1%}")
    print(f"{'sum of medians':36}        {total:6.1f} ms")


def marks_of(stdout):
    return [(name, now) for name, now in json.loads(stdout.partition(b"MARKS ")[2].splitlines()[0])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--profile", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        environment = prepare(Path(home))
        (profile if chosen.profile else compare)(Path(home), environment, chosen.rounds)


if __name__ == "__main__":
    main()
