"""What the sandbox costs: a sandboxed test run against the same pytest in a plain process, interleaved.

Run from the checkout: python tests/benchmarks/bench_sandbox.py [rounds]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tasks.records.tree import SourceTree
from tasks.workspace.environment import base_python, prepare
from tasks.workspace.grading import HERE, STEADY, Bench
from tasks.workspace.ladder import TIERS, choose
from tasks.workspace.sandbox import Job
from tasks.workspace.workspaces import materialise

TREE = SourceTree.of({"tests/test_two.py": "def test_one(): pass\ndef test_two(): assert 1 + 1 == 2\n"})
NODES = ("tests/test_two.py::test_one", "tests/test_two.py::test_two")


def timed(act):
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1e3


def plain_pytest(site, folder):
    """The runner with the same arguments in a plain process."""
    results = os.open(os.devnull, os.O_WRONLY)
    python = (str(base_python()), "-s", "-S", "-P", "-B")
    words = (str(HERE / "runner.py"), str(site), str(folder), str(HERE / "grading.ini"), "show", *NODES)
    env = {**STEADY, "PROVEOUT_RESULTS_FD": str(results), "TMPDIR": "/tmp", "PATH": "/usr/bin:/bin"}
    subprocess.run((*python, *words), env=env, cwd=folder, pass_fds=(results,), stdout=subprocess.DEVNULL, check=True)
    os.close(results)


def main(rounds):
    """Print minimum and median of each, and the ratio to the plain process."""
    with tempfile.TemporaryDirectory() as home:
        environment = prepare(Path(home))
        folder = Path(home) / "tree"
        materialise(TREE, folder)
        acts = {
            "plain pytest": lambda: plain_pytest(environment.site, folder),
            "plain /bin/true": lambda: subprocess.run(["/bin/true"], check=True),
        }
        for tier in TIERS:
            sandbox = choose(tier=tier)
            bench = Bench(sandbox, environment)
            acts[f"{tier} pytest"] = lambda bench=bench: bench.test(TREE, NODES)
            acts[f"{tier} /bin/true"] = lambda sandbox=sandbox: sandbox.run(Job(("/bin/true",)))
        took = {name: [] for name in acts}
        for _ in range(rounds):
            for name, act in acts.items():
                took[name].append(timed(act))
        for name, times in took.items():
            base = took["plain pytest" if name.endswith("pytest") else "plain /bin/true"]
            more = min(times) - min(base), statistics.median(times) - statistics.median(base)
            print(
                f"{name:22} min {min(times):6.1f} ms  median {statistics.median(times):6.1f} ms"
                f"  over plain {more[0]:+6.1f} / {more[1]:+6.1f} ms"
                f"  ratio {min(times) / min(base):5.2f}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
