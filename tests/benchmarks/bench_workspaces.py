"""What a writable workspace costs: one sandboxed /bin/true, with a tree at /work in each of the ways there are.

Run from the checkout: python tests/benchmarks/bench_workspaces.py [rounds]
"""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tasks.records.tree import SourceTree
from tasks.workspace import bubblewrap
from tasks.workspace.ladder import choose
from tasks.workspace.orders import private_folder
from tasks.workspace.sandbox import Job, Mount
from tasks.workspace.workspaces import Workspaces, materialise

SMALL = {"calc.py": "def add(a, b): return a + b\n", "tests/test_two.py": "def test_one(): pass\n"}
LARGE = {f"package_{number // 50}/module_{number}.py": f"VALUE = {number}\n" * 40 for number in range(3_000)}


def changed(files, round_number):
    """A tree like a candidate's: three files differ, and differently in each round."""
    paths = list(files)[:3]
    return SourceTree.of({**files, **dict.fromkeys(paths, f"CHANGED = {round_number}\n")})


def main(rounds):
    """Print minimum and median of each way, for a small and a large tree."""
    sandbox, workspaces = choose(), Workspaces()
    true = ("/bin/true",)

    def anew(tree):
        with private_folder() as folder:
            materialise(tree, folder / "tree")
            sandbox.run(Job(true, (Mount(folder / "tree", "/work"),), chdir="/work"))

    def view(tree):
        with workspaces.view(tree, "/work") as mount:
            sandbox.run(Job(true, (mount,), chdir="/work"))

    def copy(tree):
        known, bubblewrap.mountable = bubblewrap.mountable, lambda: False
        try:
            view(tree)
        finally:
            bubblewrap.mountable = known

    ways = {"written anew, read-only": anew, "writable view": view, "writable copy": copy}
    view(SourceTree.of(LARGE))
    took = {}
    for round_number in range(rounds):
        for size, files in (("2 files", SMALL), ("3,000 files", LARGE)):
            tree = changed(files, round_number)
            for name, way in ways.items():
                started = time.perf_counter()
                way(tree)
                took.setdefault(f"{size}, {name}", []).append((time.perf_counter() - started) * 1e3)
        started = time.perf_counter()
        sandbox.run(Job(true))
        took.setdefault("no tree", []).append((time.perf_counter() - started) * 1e3)
    for name, times in sorted(took.items()):
        print(f"{name:40} min {min(times):7.1f} ms  median {statistics.median(times):7.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
