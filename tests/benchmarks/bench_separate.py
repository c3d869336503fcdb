"""What a grading in the separate tier costs, cold and with its tests' side forked, against the same nodes in-process.

All are of one pilot case under its control patch, interleaved; plain is `python -m pytest` of the same nodes. `--stage`
times what the control stage does with the case instead: find its plan, then grade four trees twice.

Run from the checkout: python tests/benchmarks/bench_separate.py [--rounds 20] [--case loan-schedule] [--stage]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tasks.corpus.reading import read_corpus
from tasks.workspace import judging
from tasks.workspace.edits import apply
from tasks.workspace.environment import prepare
from tasks.workspace.forkserver import ForkServer
from tasks.workspace.grading import Bench
from tasks.workspace.ingest import ingest
from tasks.workspace.judging import Exam
from tasks.workspace.ladder import choose
from tasks.workspace.separate.judge import judge
from tasks.workspace.separate.placed import scripts
from tasks.workspace.workspaces import materialise
from tests.benchmarks.bench_validation import timed, virtual_environment

PILOT = Path(__file__).parents[2] / "datasets" / "pilot"


class Subject:
    """A case and the trees that control grades."""

    def __init__(self, case_id):
        corpus = read_corpus(PILOT, ingest)
        case = next(case for case in corpus.cases if case.case_id == case_id)
        seal = corpus.seal(case_id)
        self.exam = Exam(case_id, case.repo, seal.tests)
        self.nodes = case.public.all + seal.nodes.all
        edits = (seal.control.edits, *(wrong.edits for wrong in seal.wrong))
        self.control, *wrong = (apply(case.repo, each, case.scope).tree for each in edits)
        self.trees = (case.repo, case.repo, self.control, *wrong)[:4]

    def apart(self, bench):
        report = judge(bench, self.control, self.exam.trusted, self.nodes, tree="0" * 64, hide_output=True)
        assert report.all_passed(self.nodes), report

    def beside(self, bench):
        assert bench.test(self.exam.restored(self.control), self.nodes, hide_output=True).all_passed(self.nodes)

    def plain(self, python, folder):
        command = (python, "-m", "pytest", *self.nodes)
        subprocess.run(command, env={"PATH": "/usr/bin:/bin"}, cwd=folder, check=True, capture_output=True)

    def stage(self, bench):
        plan = judging.plan(bench, self.exam, self.control, self.nodes)
        for tree in self.trees * 2:
            judging.judge(bench, self.exam, tree, plan)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--case", default="loan-schedule")
    parser.add_argument("--stage", action="store_true")
    chosen = parser.parse_args()
    with ExitStack() as held:
        home = Path(held.enter_context(tempfile.TemporaryDirectory()))
        environment, sandbox = prepare(home), choose(tier="bubblewrap")
        server = held.enter_context(ForkServer(sandbox, scripts()))
        cold, warm, subject = Bench(sandbox, environment), Bench(server, environment), Subject(chosen.case)
        materialise(subject.exam.restored(subject.control), home / "tree")
        python = virtual_environment(home / "venv", environment)
        if chosen.stage:
            acts = {"stage cold": lambda: subject.stage(cold), "stage warm": lambda: subject.stage(warm)}
        else:
            acts = {
                "plain pytest": lambda: subject.plain(python, home / "tree"),
                "in-process cold": lambda: subject.beside(cold),
                "separate cold": lambda: subject.apart(cold),
                "separate warm": lambda: subject.apart(warm),
            }
        took = {name: [] for name in acts}
        for act in acts.values():  # whatever is only done once is not what is asked for
            act()
        for _ in range(chosen.rounds):
            for name, act in acts.items():
                took[name].append(timed(act))
    if server.why_cold:
        print(server.why_cold)
    for name, times in took.items():
        print(f"{name:16} median {statistics.median(times):7.1f} ms  min {min(times):7.1f} ms")
    print("load", *(f"{load:.1f}" for load in os.getloadavg()))


if __name__ == "__main__":
    main()
