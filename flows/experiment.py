"""The governed experiment: freeze, control, baseline, optimize, audit, holdout, recommend.

    spec -> freeze -> control -> baseline -> optimize -> audit -> holdout -> recommend

It recommends PROMOTE, REJECT or INSUFFICIENT; it activates nothing.
Each stage takes the record of the one before it, so that no order but this one can
be written down, and the store, not this page, decides which of them is already done.
"""

import os
from contextvars import ContextVar
from functools import partial
from pathlib import Path

from prefect import flow, runtime

from flows.crashes import mark_crashed
from flows.opening import corpus_of, laboratory, our_revision
from flows.outcome import Outcome
from flows.publishing import Publisher
from flows.servers import EMBEDDED
from flows.stages import Stages
from tasks import audit, baseline, control, freeze, holdout, optimize, recommend
from tasks.evidence.home import Home
from tasks.evidence.journal import Journal
from tasks.evidence.store import EvidenceStore
from tasks.evidence.tracking import Tracker
from tasks.records.base import Record
from tasks.records.case import Corpus
from tasks.records.errors import Stopped
from tasks.records.fingerprint import fingerprint
from tasks.records.manifest import Manifest
from tasks.records.spec import Spec
from tasks.records.stages import Audited, Baseline, Optimized, Paired, Proven
from tasks.records.verdict import Decision
from tasks.trials.laboratory import Laboratory, Progress, silent

PROGRESS: ContextVar[Progress] = ContextVar("progress", default=silent)


def run_name() -> str:
    """The spec's name, without its folders."""
    return Path(str(runtime.flow_run.parameters["spec"])).stem


@flow(name="experiment", flow_run_name=run_name, retries=0, persist_result=False)
def experiment(
    spec: str,
    home: str | None = None,
    models: dict[str, str] | None = None,
    anyway: bool = False,
) -> Outcome:
    """Recommend PROMOTE, REJECT or INSUFFICIENT for one frozen experiment; activate nothing.

    `spec` is the path of a TOML spec, `home` the state folder (default: PROVEOUT_HOME or .proveout), `models` maps `lm`
    and `reflection_lm` to model strings that replace the spec's. A design that cannot detect what it declares stops
    after its baseline, unless it is to go on `anyway`; the Decision is stamped then.
    """
    house, path = Home.open(home), Path(spec)
    asked = freeze.read_spec(path, models)
    tracker, journal = Tracker.open(house, asked.name), Journal(house)
    mark_crashed(journal, tracker)
    entry = journal.begin(str(runtime.flow_run.id), asked.name, spec)
    try:
        outcome = conduct(asked, corpus_of(asked, path), house, journal, tracker, anyway=anyway)
    except BaseException as end:
        tracker.finish("KILLED" if isinstance(end, Stopped | KeyboardInterrupt) else "FAILED")
        journal.end(entry, "stopped", said=f"{type(end).__name__}: {end}"[:500])
        raise
    tracker.finish("FINISHED")
    outcome = outcome.model_copy(update={"troubles": tuple(tracker.troubles)})
    journal.end(entry, "finished", manifest=outcome.fingerprints.manifest, outcome=outcome.body())
    return outcome


def conduct(
    spec: Spec, corpus: Corpus, home: Home, journal: Journal, tracker: Tracker, *, anyway: bool = False
) -> Outcome:
    """Freeze, open the laboratory, and take the six stages after it; one process an experiment."""
    takes = Frozen(
        spec=spec.fingerprint,
        corpus=corpus.fingerprint,
        runtime=fingerprint(freeze.runtime_version()),
        source=our_revision(),
    )
    store = EvidenceStore(home)
    stages, publisher = Stages(store), Publisher(tracker, embedded=EMBEDDED in os.environ)
    with journal.alone(takes.fingerprint):
        manifest = frozen(spec, corpus, takes, stages, publisher)
        lab = laboratory(manifest, corpus, home, store, PROGRESS.get())
        with lab.held, lab.ledger.running():
            decision, evidence = governed(lab, manifest, stages, publisher, anyway=anyway)
        return Outcome.of(lab, decision, evidence, stages, tracker, str(runtime.flow_run.id))


def frozen(spec: Spec, corpus: Corpus, takes: "Frozen", stages: Stages, publisher: Publisher) -> Manifest:
    """The manifest; from here on there is a run in MLflow, the one that an earlier run of the same manifest began."""
    work = partial(freeze.freeze, spec, corpus, our_revision())
    return stages.run("freeze", freeze.VERSION, [takes], Manifest, work, publisher.manifest)


class Frozen(Record):
    """What freeze takes: another spec, corpus, set of libraries or source of our own is another experiment."""

    spec: str
    corpus: str
    runtime: str
    source: str


class Confinement(Record):
    """What control takes beside the manifest: another sandbox or environment has to prove itself again."""

    sandbox_tier: str
    environment: str

    @classmethod
    def of(cls, lab: Laboratory) -> "Confinement":
        return cls(sandbox_tier=lab.sandbox.tier, environment=lab.environment)


def governed(
    lab: Laboratory, manifest: Manifest, stages: Stages, publisher: Publisher, *, anyway: bool = False
) -> tuple[Decision, tuple[Proven, Baseline, Optimized, Paired | None]]:
    """The six stages after freeze, in order. Raises Underpowered after baseline, unless `anyway`."""
    proven = stages.run(
        "control",
        control.VERSION,
        [manifest, Confinement.of(lab)],
        Proven,
        partial(control.control, lab, manifest),
        publisher.proven,
    )
    lab.plans = {plan.case_id: plan for plan in proven.plans}
    before = stages.run(
        "baseline",
        baseline.VERSION,
        [proven],
        Baseline,
        partial(baseline.baseline, lab, proven),
        lambda record, taken: publisher.baseline(record, taken, lab),
    )
    went_on(lab, before, anyway=anyway)
    found = stages.run(
        "optimize",
        optimize.VERSION,
        [before],
        Optimized,
        partial(optimize.optimize, lab, before),
        lambda record, taken: publisher.optimized(record, taken, lab),
    )
    audited = stages.run(
        "audit", audit.VERSION, [found], Audited, partial(audit.audit, lab, before, found), publisher.audited
    )
    paired = looked(lab, found, audited, stages, publisher)
    decision = stages.run(
        "recommend",
        recommend.VERSION,
        [before, found, audited, *([paired] if paired else [])],
        Decision,
        partial(recommend.recommend, lab, before, found, audited, paired),
        publisher.decision,
    )
    return decision, (proven, before, found, paired)


def went_on(lab: Laboratory, before: Baseline, *, anyway: bool) -> None:
    """Raises Underpowered for a design that is not able, unless `anyway`; no stage takes that and no name has it.

    That somebody went on is written beside the manifest; what it means for the verdict stands in the Decision.
    """
    if not anyway:
        baseline.refuse_underpowered(before.calibration)
    elif not before.calibration.able:
        known = lab.store.read_sidecar(before.manifest)
        lab.store.sidecar(before.manifest, known | {"went_on_anyway": before.calibration.statement})


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
        publisher.paired,
    )
