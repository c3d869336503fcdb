"""Freeze: from the spec that a person wrote to the manifest that nobody changes.

Takes    a spec file and the corpus that it names.
Gives    a Manifest with every field of DESIGN.md, "Records".
Refuses  an unknown key, a wrong type, an unknown model, metric or optimizer; a corpus with any finding of
         tasks/corpus/linting.py, by its kind; missing, forbidden and leaked fields; a budget that cannot finish one
         baseline or one step of the search. Every refusal names the offender; nothing has been spent.
Source   DESIGN.md, "The seven stages".
"""

import hashlib
import platform
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tasks.corpus.finding import refuse
from tasks.corpus.linting import lint
from tasks.governance.guard import guard
from tasks.governance.presets import resolved
from tasks.lm.addresses import settled
from tasks.lm.providers import evidence_class, refuse_unknown
from tasks.lm.secrets import SECRET_NAME, scrubbed
from tasks.program.surface import seed_candidate
from tasks.records.case import Corpus
from tasks.records.errors import Refusal
from tasks.records.fingerprint import fingerprint
from tasks.records.grading import STRONGEST_FIRST
from tasks.records.manifest import Manifest
from tasks.records.spec import Spec
from tasks.records.tools import LIMITS
from tasks.worker.tools import assert_our_surface
from tasks.workspace.exclusions import table_fingerprint
from tasks.workspace.ingest import MAX_FILE_BYTES

VERSION = "1"
LIBRARIES = ("dspy", "gepa", "litellm", "numpy", "pydantic", "pytest", "rfc8785", "scipy")
SEARCH = "case-insensitive substring in Unicode form NFC, sorted by path and line"
FIXED_CALLS = 4
"""Model calls of one attempt beyond its tool calls: diagnose, patch, interpret, revise."""


def read_spec(path: Path, models: Mapping[str, str] | None = None) -> Spec:
    """The spec of a TOML file, its models replaced by those of `models`, each with the address that will be called.

    Raises Refusal, naming every unknown key, missing key and wrong type at once.
    """
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refusal(f"spec {str(path)!r} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refusal(f"spec {str(path)!r} is no TOML: {error}") from error
    for role, model in (models or {}).items():
        table = written.get(role)
        written[role] = {**(table if isinstance(table, dict) else {}), "model": model}
        written[role].pop("api_base", None)  # another model's address
    written["policy"] = resolved(written.get("policy", {}))
    try:
        spec = Spec.model_validate(written)
    except ValidationError as error:
        raise Refusal(f"spec {str(path)!r}: {_problems(error)}") from None  # its text may quote a key
    return spec.model_copy(update={"lm": settled(spec.lm), "reflection_lm": settled(spec.reflection_lm)})


def _problems(error: ValidationError) -> str:
    told = {
        "extra_forbidden": "unknown key; see manifests/pilot.toml for every key there is",
        "missing": "missing key",
    }
    problems = []
    for problem in error.errors(include_url=False):
        where = ".".join(str(part) for part in problem["loc"])
        got = "" if problem["type"] == "missing" else _got(where, problem["input"])
        problems.append(f"{where!r}: {told.get(problem['type'], problem['msg'])}{got}")
    return "; ".join(problems)


def _got(where: str, value: Any) -> str:
    """What was written there, unless it may be a key: those belong in the environment and on no screen."""
    if SECRET_NAME.search(where):
        return "; keys come from the environment only"
    if isinstance(value, dict):
        return f", got a table of {', '.join(map(str, value))}"
    return f", got {scrubbed(repr(value))[:80]}"


def freeze(spec: Spec, corpus: Corpus, source: str) -> Manifest:
    """Resolve a spec against its corpus; `source` is the revision of our own code. Raises Refusal."""
    refuse_unknown(spec.lm)
    refuse_unknown(spec.reflection_lm)
    refuse(lint(corpus), corpus.name)
    draft = resolve(spec, corpus, source)
    guard(draft)
    _refuse_small_budget(spec, corpus)
    return Manifest.model_validate(draft)


def resolve(spec: Spec, corpus: Corpus, source: str) -> dict[str, Any]:
    """The manifest as plain fields, before the guard has seen it."""
    revisions = {
        case.case_id: fingerprint({"case": case.fingerprint, "sealed": seal.fingerprint})
        for case, seal in zip(corpus.cases, corpus.sealed, strict=True)
    }
    return {
        "name": spec.name,
        "program_version": {
            "name": spec.program,
            "candidate": seed_candidate(spec.program).body(),
            "runtime_policy": {
                "tool_calls": spec.budget.tool_calls,
                "repair_revisions": spec.budget.repair_revisions,
            },
        },
        "case_revisions": revisions,
        "case_groups": {case.case_id: case.group for case in corpus.cases},
        "dataset_fingerprint": fingerprint({"name": corpus.name, "version": corpus.version, "cases": revisions}),
        "snapshot_rules": {
            "table": table_fingerprint(),
            "exclude": spec.exclude,
            "max_file_bytes": MAX_FILE_BYTES,
        },
        "train_ids": corpus.splits["train"],
        "dev_ids": corpus.splits["dev"],
        "holdout_ids": corpus.splits["holdout"],
        "runtime_version": runtime_version(),
        "provider_config": {
            "lm": spec.lm.body(),
            "reflection_lm": spec.reflection_lm.body(),
            "evidence_class": evidence_class(spec.lm, spec.reflection_lm),
        },
        "tool_surface_version": assert_our_surface(),
        "retrieval_version": fingerprint({"search": SEARCH, **LIMITS.body()}),
        "validation_contract": {
            "development": "public tests on an isolated copy, exact-once edits in scope",
            "grading_tiers": STRONGEST_FIRST,
            "regrades": 2,
        },
        "independent_evaluation": {"sessions": spec.sessions, "order": "interleaved", "looks": corpus.looks},
        "metric_version": spec.metric,
        "optimizer_version": f"{spec.optimizer.name} {version('gepa')}",
        "optimizer_config": spec.optimizer.body(),
        "dspy_version": version("dspy"),
        "seed": spec.seed,
        "budget": spec.budget.body(),
        "source_revision": source,
        "policy": spec.policy.body(),
        "sandbox_requirement": spec.sandbox.body(),
        "concurrency": spec.concurrency,
    }


def runtime_version() -> dict[str, str]:
    """Interpreter, system and the libraries that a result depends on."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in LIBRARIES},
    }


def _refuse_small_budget(spec: Spec, corpus: Corpus) -> None:
    dev = len(corpus.splits["dev"])
    needed = spec.sessions * dev * (spec.budget.tool_calls + FIXED_CALLS)
    if spec.budget.lm_calls < needed:
        raise Refusal(
            f"budget.lm_calls = {spec.budget.lm_calls} cannot finish one baseline: {spec.sessions} sessions of {dev} "
            f"dev cases take up to {needed} calls"
        )
    step = 2 * dev + 2 * spec.optimizer.minibatch
    if spec.optimizer.max_metric_calls < step:
        raise Refusal(
            f"optimizer.max_metric_calls = {spec.optimizer.max_metric_calls} cannot finish one step of the search: "
            f"{dev} for the seed, twice {spec.optimizer.minibatch} for a minibatch, {dev} for a candidate: {step}"
        )


def source_revision(packages: tuple[Path, ...]) -> str:
    """sha256 over the sorted (path, content) list of our own Python files; 64 hex digits.

    A line that gives a stage its version is left out: the stage's own key has it, so that raising one stage's version
    computes that stage and those after it, and reuses those before.
    """
    listed = [
        [str(path.relative_to(package.parent)), hashlib.sha256(_unversioned(path.read_bytes())).hexdigest()]
        for package in packages
        for path in sorted(package.rglob("*.py"))
    ]
    return fingerprint(listed)


def _unversioned(content: bytes) -> bytes:
    return b"\n".join(line for line in content.split(b"\n") if not line.startswith(b'VERSION = "'))
