"""A mill of synthetic cases: the real stages over programs whose worth is known, in well under a second a run.

Real are the stages, the brokers and their wire, the grader, the metric, the store, both ledgers. Made up are the cases
(one function that should add), the worker (a forged one that answers as a program of that kind would) and the bench
(it reads off the tree what the tests would say). A seed settles which cases the seed program can solve, and every slip.
"""

from dataclasses import replace
from random import Random

from tasks.audit import audit
from tasks.baseline import baseline
from tasks.evidence.home import Home
from tasks.evidence.looks import LookLedger
from tasks.evidence.store import EvidenceStore
from tasks.holdout import holdout
from tasks.lm.ledger import CallLedger
from tasks.recommend import recommend
from tasks.records.attempt import TestReport
from tasks.records.candidate import Discovery, Search
from tasks.records.case import Case, Corpus, Edit, KnownPatch, Sealed, TestNodes, Truth
from tasks.records.stages import Optimized, Proven
from tasks.records.tree import SourceTree
from tasks.trials.benches import Benches
from tests.small import small_corpus, small_laboratory
from tests.worker.forging import ForgedSandbox, saw_nothing

TRAIN, DEV, HOLDOUT = 4, 3, 16
SOLVED, SLIPS = 0.3, 0.05  # the share of cases that the seed program solves; how often an answer is another one
RIGHT = (Edit(path="calc.py", search="a - b", replace="a + b"),)
WRONG = (Edit(path="calc.py", search="a - b", replace="abs(a + b)"),)
PLACES = ("till", "barge", "hedge", "lathe", "pier", "crane", "kiln", "loom", "quarry", "orchard", "forge", "ferry")


def issue(split, number):
    """Nobody else's words."""
    place = PLACES[number % len(PLACES)]
    return f"In the {split} of {place} number {number} the clerk adds two amounts and is told their difference instead"


def case_of(split, number):
    name = f"{split}-{number}"
    return Case(
        case_id=name, group=f"group-of-{name}", issue=issue(split, number), constraints="", scope=("*.py",),
        repo=SourceTree.of(
            {"calc.py": f"# {name}\ndef add(a, b):\n    return a - b\n", "tests/test_calc.py": f"# {name}\n"}
        ),
        public=TestNodes(fail_to_pass=("tests/test_calc.py::test_add",)),
    )  # fmt: skip


def seal_of(case):
    return Sealed(
        case_id=case.case_id, canary=f"canary-of-{case.case_id}-5f0c",
        tests=SourceTree.of({"tests/test_sealed.py": f"# canary-of-{case.case_id}-5f0c\n"}),
        nodes=TestNodes(fail_to_pass=("tests/test_sealed.py::test_negative",)),
        control=KnownPatch(name="control", why="it adds", edits=RIGHT), wrong=(),
        truth=Truth(files=("calc.py",), facets=()),
    )  # fmt: skip


def mill_corpus(looks=1):
    """One case a group, so that groups are the holdout's cases."""
    splits = {"train": TRAIN, "dev": DEV, "holdout": HOLDOUT}
    cases = tuple(case_of(split, number) for split, count in splits.items() for number in range(count))
    named = {split: tuple(f"{split}-{number}" for number in range(count)) for split, count in splits.items()}
    return Corpus(
        name="mill", version="1", looks=looks, cases=cases, sealed=tuple(map(seal_of, cases)), splits=named
    )  # fmt: skip


class ReadingBench:
    """What the tests of a mill's case say of a tree: adding passes all, `abs` the public ones, nothing else any."""

    tier = "bubblewrap"

    @property
    def sandbox(self):
        return self

    def test(self, tree, nodes, sealed=None, *, hide_output=False):
        code = tree.by_path["calc.py"].text
        good = "a + b" in code
        fooled = "abs(" in code
        outcomes = {node: "passed" if good and not (fooled and "sealed" in node) else "failed" for node in nodes}
        return TestReport(
            tree=tree.fingerprint, outcomes=outcomes, ended="exit", shown="", tier=self.tier,
            tiers=dict.fromkeys(nodes, "in-process"),
        )  # fmt: skip


def opened(tmp_path):
    """The instruments that all runs of a test share; opening a sandbox takes longer than a run."""
    return small_laboratory(tmp_path, small_corpus())


def laboratory_of(opened, tmp_path, seed, answer, **policy):
    """A laboratory for the mill in a state folder of its own; programs do what `answer(kind, case_id, random)` says."""
    corpus, home = mill_corpus(), Home.open(tmp_path / "home")
    ids = {f"{split}_ids": named for split, named in corpus.splits.items()}
    chosen = opened.manifest.policy.model_copy(update={"grading_tiers": ("in-process",)} | policy)
    evaluation = opened.manifest.independent_evaluation.model_copy(update={"looks": corpus.looks})
    manifest = opened.manifest.model_copy(
        update={
            **ids,
            "seed": seed,
            "policy": chosen,
            "independent_evaluation": evaluation,
            "case_groups": {case.case_id: case.group for case in corpus.cases},
            "case_revisions": {case.case_id: case.fingerprint for case in corpus.cases},
        }
    )
    lab = replace(
        opened, home=home.root, manifest=manifest, corpus=corpus, store=EvidenceStore(home), plans={}, notes={},
        ledger=CallLedger(home.ledger, manifest.fingerprint, manifest.budget), looks=LookLedger(home.looks),
        benches=Benches.alike(ReadingBench()),
    )  # fmt: skip
    lab.sandbox = ForgedSandbox(worker(manifest, seed, answer), opened.sandbox)
    return lab


KINDS = {"general": "Add, whatever the sign.", "identical": "Take your time.", "memorised": "As at the till: abs."}


def candidate_of(lab, kind):
    """The seed's instructions with one more sentence: that of a kind, or a training issue, word by word."""
    seed = lab.manifest.program_version.candidate
    more = KINDS.get(kind) or lab.corpus.case("train-0").issue
    instructions = {**seed.instructions, "patch": f"{seed.instructions['patch']} {more}"}
    return seed.model_copy(update={"instructions": instructions, "parents": (seed.fingerprint,)})


def worker(manifest, seed, answer):
    """A forged worker; its random numbers go on from one job to the next, so sessions differ."""
    random = Random(seed)
    seeds_own = manifest.program_version.candidate.instructions["patch"]

    def script(channel):
        task = channel.receive()
        for job in task["jobs"]:
            told = task["candidates"][job["candidate"]]["instructions"]
            more = told["patch"].removeprefix(seeds_own).strip()
            kind = next((kind for kind, text in KINDS.items() if text == more), "copied" if more else "seed")
            attempt(channel, task["cases"], job["case_id"], told, answer(kind, job["case_id"], random))
        channel.send({"op": "done"})

    return script


def attempt(channel, cases, case_id, instructions, answer):
    channel.ask({"op": "turn"})
    seen = channel.ask({"op": "reproduce", "case_id": case_id})
    if "halt" in seen:
        return channel.ask({"op": "halted", "case_id": case_id, "kind": "sandbox", "detail": "told"})
    edits = [edit.body() for edit in {"right": RIGHT, "wrong": WRONG, "reject": ()}[answer]]
    if edits:
        channel.ask({"op": "validate", "case_id": case_id, "edits": edits})
    return channel.ask(
        {
            "op": "ended",
            "case_id": case_id,
            "proposal": {"edits": edits, "rejection": "" if edits else "no cause"},
            "evidence": saw_nothing(cases, case_id, seen),
            "instructions": instructions,
            "lm_calls": 0,
        }
    )


def answering(seed):
    """The kinds: `seed` and `identical` solve the same cases, `general` all, the overfit ones none but those seen."""
    solvable = {case.case_id for case in mill_corpus().cases if Random(f"{seed}/{case.case_id}").random() < SOLVED}

    def answer(kind, case_id, random):
        usual = "right" if case_id in solvable else "reject"
        if kind == "general":
            usual = "right"
        elif kind in {"memorised", "copied"}:
            usual = "wrong" if case_id.startswith("holdout") else "right"
        other = "reject" if usual == "right" else usual
        return other if random.random() < SLIPS else usual

    return answer


def decided(lab, kind):
    """Baseline, and from the point where the candidate exists: audit, holdout where it opens, recommend."""
    named = {"manifest": lab.manifest.fingerprint, "sandbox_tier": "bubblewrap", "environment": ""}
    before = baseline(lab, Proven(**named, plans=(), rows=(), rule=()))
    seed, better = lab.manifest.program_version.candidate, candidate_of(lab, kind)
    found = Optimized(
        manifest=lab.manifest.fingerprint, baseline=before.fingerprint, candidate=better, attempts=(),
        log=lab.store.put_bytes(b"a search"),
        search=Search(
            optimizer="gepa", proposals=3, metric_calls=30, best=1,
            discoveries=(
                Discovery(candidate=seed, dev_score=0.5, metric_calls=6, parent=None),
                Discovery(candidate=better, dev_score=0.95, metric_calls=30, parent=seed.fingerprint),
            ),
        ),
    )  # fmt: skip
    lab.store.put(found)
    audited = audit(lab, before, found)
    paired = holdout(lab, audited) if audited.audit.intact else None
    return recommend(lab, before, found, audited, paired), paired
