"""Opening an experiment: the corpus read, the sandbox probed, the ledgers and the store at hand.

Takes    a spec, models that replace the spec's, and the state folder.
Gives    everything that a stage needs, as a Laboratory; and, before it, the frozen manifest.
Refuses  what freeze refuses; a machine on which nothing can confine foreign code (SandboxUnavailable); a live model
         that does not answer one tiny call, before anything else is spent.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from functools import partial
from pathlib import Path

import flows
import tasks
from tasks.corpus.reading import read_corpus
from tasks.evidence.databases import refuse_other_version
from tasks.evidence.home import Home
from tasks.evidence.looks import LookLedger
from tasks.evidence.store import EvidenceStore
from tasks.freeze import freeze, read_spec, source_revision
from tasks.lm.ledger import VERSION, CallLedger
from tasks.lm.preflight import preflight
from tasks.lm.providers import provider_of
from tasks.records.case import Corpus
from tasks.records.fingerprint import fingerprint
from tasks.records.manifest import Manifest
from tasks.records.protocols import Provider
from tasks.records.spec import Spec
from tasks.trials.benches import Benches
from tasks.trials.laboratory import Laboratory, Progress
from tasks.worker.tools import assert_our_surface
from tasks.workspace.bubblewrap import Bubblewrap
from tasks.workspace.environment import environments
from tasks.workspace.forkserver import RUNNER, ForkServer
from tasks.workspace.ingest import ingest
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Limits, Sandbox
from tasks.workspace.separate.placed import scripts


def corpus_of(spec: Spec, path: Path) -> Corpus:
    """The corpus that a spec names, relative to the spec's own folder, without what the spec excludes."""
    return read_corpus((path.parent / spec.corpus).resolve(), partial(ingest, exclude=spec.exclude))


def dry_freeze(path: Path, models: Mapping[str, str] | None = None) -> Manifest:
    """What freezing this spec would give; nothing is written. Raises Refusal."""
    spec = read_spec(path, models)
    return freeze(spec, corpus_of(spec, path), our_revision())


def answering(manifest: Manifest, home: Home) -> None:
    """Live models answer while a person looks on, before any server starts. Raises ProviderTrouble, Refusal."""
    with closing(ledger_of(manifest, home)) as ledger:
        preflight(ledger, manifest.provider_config.by_role, providers_of(manifest))


def ledger_of(manifest: Manifest, home: Home) -> CallLedger:
    """The experiment's calls. Raises Refusal for a ledger that another version wrote, Damaged for none."""
    refuse_other_version(home.ledger, VERSION)
    return CallLedger(home.ledger, manifest.fingerprint, manifest.budget)


def providers_of(manifest: Manifest) -> dict[str, Provider]:
    """Both models' providers, by role."""
    return {role: provider_of(lm, manifest.seed) for role, lm in manifest.provider_config.by_role.items()}


def our_revision() -> str:
    """What our own code is, by content."""
    packages = (flows.__file__, tasks.__file__)
    return source_revision(tuple(Path(str(package)).resolve().parent for package in packages))


def laboratory(manifest: Manifest, corpus: Corpus, home: Home, store: EvidenceStore, progress: Progress) -> Laboratory:
    """Open every instrument that the stages after freeze work with. Raises Damaged for other tools than the frozen."""
    assert_our_surface(manifest.tool_surface_version)
    needs = manifest.sandbox_requirement
    sandbox = choose(allow_unsafe=needs.allow_unsafe)
    installed = environments(home.root, corpus.cases)
    limits = Limits(wall_seconds=needs.wall_seconds, memory_bytes=needs.memory_bytes)
    ledger, providers = ledger_of(manifest, home), providers_of(manifest)
    preflight(ledger, manifest.provider_config.by_role, providers)
    held = ExitStack()
    trying, grading = (held.enter_context(warmed(sandbox, known)) for known in ((RUNNER,), scripts()))
    return Laboratory(
        home=home.root,
        manifest=manifest,
        corpus=corpus,
        store=store,
        ledger=ledger,
        looks=LookLedger(home.looks),
        sandbox=sandbox,
        environment=fingerprint(sorted({environment.fingerprint for environment in installed.values()})),
        benches=Benches.of(trying, grading, installed, limits),
        providers=providers,
        progress=progress,
        held=held,
    )


def warmed(sandbox: Sandbox, known: tuple[Path, ...]) -> AbstractContextManager[Sandbox]:
    """A fork server for these scripts in the sandbox's place, where there is one for its tier."""
    return ForkServer(sandbox, known) if isinstance(sandbox, Bubblewrap) else nullcontext(sandbox)
