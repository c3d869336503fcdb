"""Duplicates: issues, trees and tests of two splits, or two groups, that are nearly the same.

Takes    a Corpus.
Gives    a finding for each such pair, with its likeness.
Refuses  nothing.
Covered      copies with some words changed; copies of the sources with other names, literals and comments.
Not covered  paraphrases, which share no run of five words; sources that were rewritten. What is equal: `splitting`.
Source   DESIGN.md, "The seven stages", freeze; the measure is `similarity`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from tasks.corpus.finding import Finding, Kind, case_file, repository, sealed_tests
from tasks.corpus.similarity import alike, runs, shape
from tasks.corpus.splitting import apart, folded, is_test, said
from tasks.records.case import Case, Corpus
from tasks.records.tree import SourceTree

# Unrelated cases of the pilot stay below 0.02 (48 cases, measured); one word in ten replaced leaves 0.35 or more.
NEAR_DUPLICATE = 0.2
# Unrelated sources of the pilot stay below 0.06 (likewise); a copy with other names is at 1.
RENAMED = 0.4


def near_issues(corpus: Corpus) -> Iterator[Finding]:
    exact = {case.case_id: folded(case.issue) for case in corpus.cases}
    pairs = alike({case_id: runs(text) for case_id, text in exact.items()}, NEAR_DUPLICATE)
    yield from _near(corpus, "near-duplicate-issue", pairs, exact, case_file)


def near_trees(corpus: Corpus) -> Iterator[Finding]:
    """Trees whose texts are alike, or else whose sources have one shape."""
    exact = {case.case_id: case.repo.fingerprint for case in corpus.cases}
    texts = {case.case_id: runs(_text(case.repo)) for case in corpus.cases}
    found = tuple(_near(corpus, "near-duplicate-tree", alike(texts, NEAR_DUPLICATE), exact, repository))
    told = {each.case_ids for each in found}
    yield from found
    shapes = {case.case_id: shape(_source(case)) for case in corpus.cases}
    for each in _near(corpus, "renamed-tree", alike(shapes, RENAMED), exact, repository):
        if each.case_ids not in told:
            yield each


def near_tests(corpus: Corpus) -> Iterator[Finding]:
    texts = {seal.case_id: runs(_text(seal.tests).replace(seal.canary, "")) for seal in corpus.sealed}
    pairs = tuple(alike(texts, NEAR_DUPLICATE))
    wanted = [corpus.seal(case_id) for case_id in sorted({case_id for *pair, _ in pairs for case_id in pair})]
    exact = {seal.case_id: said(seal.tests, seal) for seal in wanted}
    yield from _near(corpus, "near-duplicate-tests", pairs, exact, sealed_tests)


def _near(
    corpus: Corpus,
    kind: Kind,
    pairs: Iterable[tuple[str, str, float]],
    exact: Mapping[str, str],
    where: Callable[[str], str],
) -> Iterator[Finding]:
    """Pairs that are independent by name; equal ones have a finding of their own."""
    for one, other, likeness in pairs:
        how = apart(corpus, (one, other))
        if how and exact[one] != exact[other]:
            detail = f"{one!r} and {other!r} are {how}, likeness {likeness:.2f}"
            yield Finding(kind=kind, case_ids=(one, other), detail=detail, where=(where(one), where(other)))


def _text(tree: SourceTree) -> str:
    return "\n".join(file.text for file in tree.files)


def _source(case: Case) -> str:
    """Its Python files without the tests."""
    files = (file for file in case.repo.files if file.path.endswith(".py") and not is_test(file.path))
    return "\n".join(file.text for file in files)
