"""A manifest in order, and the exhibits of a candidate whose evidence is intact."""

from typing import Any

from tasks.governance.calibration import Reach, calibrated
from tasks.governance.integrity import Exhibits, Spent
from tasks.records.candidate import Candidate, Discovery, Search
from tasks.records.manifest import (
    IndependentEvaluation,
    Manifest,
    ProgramVersion,
    ProviderConfig,
    SnapshotRules,
    ValidationContract,
)
from tasks.records.spec import LM, Budget, OptimizerSpec, Policy, SandboxSpec

SEED = Candidate(program="repair", instructions={"diagnose": "Diagnose the issue.", "patch": "Write a patch."})
BETTER = SEED.model_copy(update={"instructions": SEED.instructions | {"patch": "Write a small patch, test it."}})
CASES = {"a": "train", "b": "dev", "c": "holdout"}
MANIFEST = Manifest(
    name="pilot",
    program_version=ProgramVersion(name="repair", candidate=SEED, runtime_policy={"tool_calls": 6}),
    case_revisions={case: f"rev-{case}" for case in CASES},
    case_groups={case: f"group-{case}" for case in CASES},
    dataset_fingerprint="d",
    snapshot_rules=SnapshotRules(table="t", exclude=(), max_file_bytes=1),
    train_ids=("a",),
    dev_ids=("b",),
    holdout_ids=("c",),
    runtime_version={"python": "3.12"},
    provider_config=ProviderConfig(
        lm=LM(model="offline/rules"), reflection_lm=LM(model="offline/reflector"), evidence_class="fixture"
    ),
    tool_surface_version="tools",
    retrieval_version="none",
    validation_contract=ValidationContract(development="public tests", grading_tiers=("separate",), regrades=2),
    independent_evaluation=IndependentEvaluation(sessions=3, order="interleaved", looks=2),
    metric_version="repair/1",
    optimizer_version="gepa 0.1.4",
    optimizer_config=OptimizerSpec(max_instruction_chars=200),
    dspy_version="3.4.1",
    seed=0,
    budget=Budget(lm_calls=100, tokens=1000, cost_usd=1, seconds=60),
    source_revision="r",
    policy=Policy(),
    sandbox_requirement=SandboxSpec(),
    concurrency=2,
)
SEARCH = Search(
    optimizer="gepa",
    discoveries=(
        Discovery(candidate=SEED, dev_score=0.3, metric_calls=1, parent=None),
        Discovery(candidate=BETTER, dev_score=0.6, metric_calls=9, parent=SEED.fingerprint),
    ),
    proposals=3,
    metric_calls=9,
    best=1,
)
TRAIN_TEXT = "the invoice total ignores the quantity of every single line it adds"
HOLDOUT_TEXT = "the ledger forgets to close an account when its last entry is voided"


def exhibits(**changed: Any) -> Exhibits:
    """Intact exhibits, with what is `changed`."""
    told: dict[str, Any] = {
        "manifest": MANIFEST,
        "frozen_fingerprint": MANIFEST.fingerprint,
        "candidate": BETTER,
        "found_fingerprint": BETTER.fingerprint,
        "search": SEARCH,
        "tool_surface_version": "tools",
        "spent": Spent(lm_calls=7, tokens=900, cost_usd=0.5, seconds=30),
        "ledger_calls": {"t1": 4, "t2": 3},
        "reported_calls": {"t1": 4, "t2": 3},
        "lm_requests": {"1": f"{SEED.instructions['diagnose']} {TRAIN_TEXT}"},
        "canaries": {"a": "canary-71f0aa", "c": "canary-55e1bb"},
        "holdout_texts": {"c": HOLDOUT_TEXT},
        "train_texts": {"a": TRAIN_TEXT},
        "homes": ("/srv/mill",),
    }
    return Exhibits(**(told | changed))


REACH = Reach(detectable=0.269, power=0.8, cases=24, groups=24, sessions=3, groups_needed=20, sessions_needed=None)
CALIBRATION = calibrated(Policy(sought_effect=0.3), REACH)
