"""A pilot of three cases and a laboratory for it: the real corpus, sandbox and store, in seconds."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from flows.opening import corpus_of, laboratory
from tasks.evidence.home import Home
from tasks.evidence.store import EvidenceStore
from tasks.freeze import freeze, read_spec
from tasks.records.case import Corpus
from tasks.trials.laboratory import silent

SPEC = Path(__file__).resolve().parents[1] / "manifests" / "pilot.toml"
CHOSEN = {"train": ("bakery-till",), "dev": ("passbook-balance",), "holdout": ("invoice-quantity",)}


@cache
def pilot() -> Corpus:
    """The whole pilot, read once: nothing can change it."""
    return corpus_of(read_spec(SPEC), SPEC)


@cache
def environments() -> Path:
    """What code under test finds installed, made once for all state folders of a test worker."""
    folder = Path(tempfile.mkdtemp(prefix="environments-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def home_in(folder: Path) -> Home:
    """A state folder of its own, but for the environments."""
    folder.mkdir(exist_ok=True)
    (folder / "environments").symlink_to(environments())
    return Home.open(folder)


def small_corpus() -> Corpus:
    """One case a split, of the pilot."""
    whole = pilot()
    wanted = [case_id for ids in CHOSEN.values() for case_id in ids]
    return whole.model_copy(
        update={
            "cases": tuple(case for case in whole.cases if case.case_id in wanted),
            "sealed": tuple(seal for seal in whole.sealed if seal.case_id in wanted),
            "splits": CHOSEN,
        }
    )


def with_seal(corpus: Corpus, case_id: str, **changes) -> Corpus:
    """The corpus with another sealed part for one case."""
    sealed = tuple(seal.model_copy(update=changes) if seal.case_id == case_id else seal for seal in corpus.sealed)
    return corpus.model_copy(update={"sealed": sealed})


def small_laboratory(folder, corpus: Corpus, spec=None):
    """A laboratory with a state folder of its own; what lint would say of the corpus is not asked."""
    home = home_in(folder / "home")
    manifest = freeze(spec or read_spec(SPEC), corpus, "test")
    return laboratory(manifest, corpus, home, EvidenceStore(home), silent)
