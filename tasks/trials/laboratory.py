"""The laboratory: the instruments that one experiment works with, opened once and handed to every stage."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tasks.evidence.looks import LookLedger
from tasks.evidence.store import EvidenceStore
from tasks.lm.ledger import CallLedger
from tasks.records.case import Case, Corpus, Sealed, Split
from tasks.records.grading import GradingPlan
from tasks.records.manifest import Manifest
from tasks.records.protocols import Provider
from tasks.records.spec import LM
from tasks.trials.benches import Benches
from tasks.workspace.sandbox import Sandbox

Progress = Callable[[str, int, int], None]  # what is being counted, done so far, of how many


def silent(what: str, done: int, of: int) -> None:
    """No progress."""
    del what, done, of


@dataclass
class Laboratory:
    """Instruments, not findings: nothing in here enters a fingerprint except through the manifest."""

    home: Path
    manifest: Manifest
    corpus: Corpus
    store: EvidenceStore
    ledger: CallLedger
    looks: LookLedger
    sandbox: Sandbox
    environment: str
    """What code under test finds installed, over all cases."""
    benches: Benches
    providers: dict[str, Provider]
    progress: Progress = silent
    plans: dict[str, GradingPlan] = field(default_factory=dict)
    """By case, once control has found them; a case without one is judged in-process."""
    held: ExitStack = field(default_factory=ExitStack)
    """What has to be ended with the experiment."""
    notes: dict[str, dict[str, int]] = field(default_factory=dict)

    def scope(self, stage: str) -> dict[str, str]:
        """What a test report belongs to: never another experiment's, another stage's or another sandbox's."""
        return {
            "manifest": self.manifest.fingerprint,
            "stage": stage,
            "environment": self.environment,
            "tier": self.sandbox.tier,
        }

    def note(self, stage: str, **counts: int) -> None:
        """Counts for the sidecar: what was asked, and what had to be computed."""
        self.notes[stage] = counts

    def cases(self, split: Split) -> tuple[Case, ...]:
        """The cases of a split, in manifest order."""
        ids = {
            "train": self.manifest.train_ids,
            "dev": self.manifest.dev_ids,
            "holdout": self.manifest.holdout_ids,
        }[split]
        return tuple(self.corpus.case(case_id) for case_id in ids)

    def seals(self, cases: tuple[Case, ...]) -> tuple[Sealed, ...]:
        """The sealed parts of these cases; for the parent's eyes only."""
        return tuple(self.corpus.seal(case.case_id) for case in cases)

    def runtime_policy(self) -> dict[str, int]:
        """The ceilings of the program's runtime, as frozen."""
        return self.manifest.program_version.runtime_policy

    def lms(self) -> dict[str, LM]:
        """Both models by role, as frozen; the keys of `providers`."""
        return self.manifest.provider_config.by_role
