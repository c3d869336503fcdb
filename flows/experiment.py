"""The governed experiment: freeze, control, baseline, optimize, audit, holdout, recommend.

    spec -> freeze -> control -> baseline -> optimize -> audit -> holdout -> recommend

It recommends PROMOTE, REJECT or INSUFFICIENT; it activates nothing.
Each stage takes the record of the one before it, so that no order but this one can
be written down, and the store, not this page, decides which of them is already done.
"""

from contextvars import ContextVar
from functools import partial
from pathlib import Path

from prefect import flow, runtime

from flows.opening import corpus_of, laboratory, our_revision
from flows.outcome import Outcome
from flows.publishing import Publisher
from flows.stages import Stages
from tasks import audit, baseline, control, freeze, holdout, optimize, recommend
from tasks.evidence.home import Home
from tasks.evidence.store import EvidenceStore
from tasks.evidence.tracking import Tracker
from tasks.records.base import Record
from tasks.records.fingerprint import fingerprint
from tasks.records.manifest import Manifest
from tasks.records.stages import Audited, Baseline, Optimized, Paired, Proven
from tasks.records.verdict import Decision
from tasks.trials.laboratory import Laboratory, Progress, silent

PROGRESS: ContextVar[Progress] = ContextVar("progress", default=silent)


@flow(name="experiment", flow_run_name="experiment-{spec}", retries=0, persist_result=False)
def experiment(spec: str, home: str | None = None) -> Outcome:
    """Recommend PROMOTE, REJECT or INSUFFICIENT for one frozen experiment; activate nothing.

    `spec` is the path of a TOML spec, `home` the state folder (default: PROVEOUT_HOME or .proveout).
    """
    house = Home.open(home)
    store = EvidenceStore(house)
    stages = Stages(store)
    tracker = Tracker.open(house, freeze.read_spec(Path(spec)).name)
    tracker.crash_orphans()
    publisher = Publisher(tracker)
    try:
        manifest, lab = frozen(Path(spec), house, store, stages, tracker, publisher)
        with lab.ledger.running():
            decision, evidence = governed(lab, manifest, stages, publisher)
        tracker.finish("FINISHED")
    except BaseException:
        tracker.finish("FAILED")
        raise
    return Outcome.of(lab, decision, evidence, stages, tracker, str(runtime.flow_run.id or ""))


def frozen(
    path: Path, home: Home, store: EvidenceStore, stages: Stages, tracker: Tracker, publisher: Publisher
) -> tuple[Manifest, Laboratory]:
    """Freeze the spec, then open the laboratory for it."""
    spec = freeze.read_spec(path)
    corpus = corpus_of(spec, path)
    versions = Frozen(spec=spec.fingerprint, corpus=corpus.fingerprint, runtime=fingerprint(freeze.runtime_version()))

    def publish(manifest: Manifest) -> None:
        tags = {"proveout.manifest": manifest.fingerprint, "dataset": manifest.dataset_fingerprint}
        tracker.start_experiment(tags, name=manifest.name, resume=tracker.find_run(tags))
        tracker.link_flow(str(runtime.flow_run.id or ""), runtime.flow_run.ui_url)
        publisher.manifest(manifest)
        publisher.link(f"{tracker.client.tracking_uri}#/experiments/{tracker.experiment_id}/runs/{tracker.run_id}")

    work = partial(freeze.freeze, spec, corpus, our_revision())
    manifest = stages.run("freeze", freeze.VERSION, [versions], Manifest, work, publish)
    return manifest, laboratory(manifest, corpus, home, store, PROGRESS.get())


class Frozen(Record):
    """What freeze takes. Our own source is not part of it: a stage's version says when its result stops being valid."""

    spec: str
    corpus: str
    runtime: str


def governed(
    lab: Laboratory, manifest: Manifest, stages: Stages, publisher: Publisher
) -> tuple[Decision, tuple[Baseline, Optimized, Paired | None]]:
    """The six stages after freeze, in order."""
    proven = stages.run(
        "control", control.VERSION, [manifest], Proven, partial(control.control, lab, manifest), publisher.proven
    )
    before = stages.run(
        "baseline",
        baseline.VERSION,
        [proven],
        Baseline,
        partial(baseline.baseline, lab, proven),
        lambda record: publisher.baseline(record, lab),
    )
    found = stages.run(
        "optimize",
        optimize.VERSION,
        [before],
        Optimized,
        partial(optimize.optimize, lab, before),
        lambda record: publisher.optimized(record, lab),
    )
    audited = stages.run(
        "audit", audit.VERSION, [found], Audited, partial(audit.audit, lab, before, found), publisher.audited
    )
    paired = looked(lab, found, audited, stages, publisher)
    decision = stages.run(
        "recommend",
        recommend.VERSION,
        [found, audited, *([paired] if paired else [])],
        Decision,
        partial(recommend.recommend, lab, found, audited, paired),
        publisher.decision,
    )
    return decision, (before, found, paired)


def looked(lab: Laboratory, found: Optimized, audited: Audited, stages: Stages, publisher: Publisher) -> Paired | None:
    """One look at the holdout; none for a search that found nothing, or for a candidate whose audit is broken."""
    if found.candidate is None or not audited.audit.intact:
        return None
    return stages.run(
        "holdout",
        holdout.VERSION,
        [audited],
        Paired,
        partial(holdout.holdout, lab, audited),
        lambda record: publisher.paired(record, lab),
    )
