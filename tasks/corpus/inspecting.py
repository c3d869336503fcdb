"""Inspecting: everything about a corpus on disk that can be found by reading it.

Takes    the folder of a corpus, and `ingest`, the caller's race-free walk.
Gives    the Corpus, unless it cannot be read, and all findings, sorted.
Refuses  a corpus that cannot be read, when nothing else was found that would explain why.
Source   datasets/README.md, "Before a case is used".
"""

from pathlib import Path
from typing import NamedTuple

from tasks.corpus.finding import Finding, in_order
from tasks.corpus.linting import lint
from tasks.corpus.reading import Ingest, parsed
from tasks.corpus.surveying import on_disk, unread
from tasks.records.case import Corpus
from tasks.records.errors import Refusal


class Inspected(NamedTuple):
    """`corpus` is None where something that was found kept it from being read."""

    corpus: Corpus | None
    findings: tuple[Finding, ...]


def inspect(root: Path, ingest: Ingest) -> Inspected:
    """Read and lint the corpus in a folder. Raises Refusal, one line."""
    early = tuple(on_disk(root))
    try:
        corpus = parsed(root, ingest)
    except Refusal as refusal:
        if not early:
            raise
        return Inspected(None, in_order((*early, Finding(kind="unreadable", case_ids=(), detail=str(refusal)))))
    return Inspected(corpus, in_order((*early, *unread(root, corpus), *lint(corpus))))
