"""Splitting: what two splits, or two groups, share although they are counted as independent.

Takes    a Corpus.
Gives    findings about groups, and about revisions, commits, repositories, tests and issues that are the same.
Refuses  nothing.
Covered      a group in two splits or in two spellings; the same tree, commit, repository, tests or issue in two groups
             or splits. Within one group of one split all of that is fine, but for the same case under two ids, which
             would count twice.
Not covered  what only the world knows (two packages of one author, two reports of one incident), unless groups or
             origins say so. Texts that are nearly the same: `duplicates`.
Source   datasets/README.md; DESIGN.md, "The seven stages", freeze, and "Records", group.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from tasks.corpus.finding import Finding, Kind, case_file, repository, sealed_tests
from tasks.corpus.similarity import code, squeezed
from tasks.records.case import Case, Corpus, Sealed, Split
from tasks.records.fingerprint import fingerprint
from tasks.records.tree import SourceFile, SourceTree


def shared_groups(corpus: Corpus) -> Iterator[Finding]:
    """A group is the unit of splitting: it lies in one split and is written in one way."""
    split_of = splits(corpus)
    for case_ids in _shared({case.case_id: folded(case.group) for case in corpus.cases}):
        spelled = sorted({corpus.case(case_id).group for case_id in case_ids})
        where = tuple(map(case_file, case_ids))
        if len({split_of[case_id] for case_id in case_ids}) > 1:
            detail = f"group {spelled[0]!r} is in two splits: {', '.join(case_ids)}"
            yield Finding(kind="group-across-splits", case_ids=case_ids, detail=detail, where=where)
        if len(spelled) > 1:
            detail = f"group {' and '.join(map(ascii, spelled))}: one name, counted as {len(spelled)} groups"
            yield Finding(kind="group-spelling", case_ids=case_ids, detail=detail, where=where)


def same_cases(corpus: Corpus) -> Iterator[Finding]:
    """One case under two ids, wherever they are."""
    whole = {case.case_id: f"{case.repo.fingerprint} {folded(case.issue)}" for case in corpus.cases}
    for case_ids in _shared(whole):
        detail = f"{', '.join(case_ids)} have the same issue and the same repository"
        yield Finding(kind="same-case", case_ids=case_ids, detail=detail, where=tuple(map(case_file, case_ids)))


def same_revisions(corpus: Corpus) -> Iterator[Finding]:
    """The same revision of a repository belongs to one group, whatever that is called."""
    trees = {case.case_id: case.repo.fingerprint for case in corpus.cases}
    yield from _same(corpus, "same-revision", "repository", trees, repository)


def same_issues(corpus: Corpus) -> Iterator[Finding]:
    issues = {case.case_id: folded(case.issue) for case in corpus.cases}
    yield from _same(corpus, "same-issue", "issue", issues, case_file)


def same_tests(corpus: Corpus) -> Iterator[Finding]:
    """Equal test files say that two repairs are one; canaries, comments and layout do not make them differ."""
    public = {case.case_id: said(public_tests(case)) for case in corpus.cases}
    sealed = {seal.case_id: said(seal.tests, seal) for seal in corpus.sealed}
    yield from _same(corpus, "same-tests", "public tests", public, repository)
    yield from _same(corpus, "same-tests", "sealed tests", sealed, sealed_tests)


def same_origins(corpus: Corpus) -> Iterator[Finding]:
    """The commit, or else the repository, that cases were taken from."""
    commits = {case_id: origin.commit for case_id, origin in corpus.origins.items()}
    places = {case_id: _place(origin.repository) for case_id, origin in corpus.origins.items()}
    found = tuple(_same(corpus, "same-commit", "commit", commits, _declared))
    told = {each.case_ids for each in found}
    yield from found
    for each in _same(corpus, "same-repository", "repository of origin", places, _declared):
        if each.case_ids not in told:
            yield each


def splits(corpus: Corpus) -> dict[str, Split]:
    return {case_id: split for split, case_ids in corpus.splits.items() for case_id in case_ids}


def apart(corpus: Corpus, case_ids: tuple[str, ...]) -> str:
    """How the statistics would take two of these cases for independent; empty if they would not."""
    split_of = splits(corpus)
    if len({split_of[case_id] for case_id in case_ids}) > 1:
        return "in two splits"
    return "in two groups" if len({folded(corpus.case(case_id).group) for case_id in case_ids}) > 1 else ""


def folded(text: str) -> str:
    """Text as a reader takes it: whatever its case, its Unicode form and its blanks are."""
    return squeezed(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))


def is_test(path: str) -> bool:
    *folders, name = path.split("/")
    named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return named or bool({"test", "tests"} & set(folders))


def public_tests(case: Case) -> SourceTree:
    """The test files of a repository that say anything."""
    return SourceTree(files=tuple(file for file in case.repo.files if is_test(file.path) and file.content.strip()))


def said(tree: SourceTree, seal: Sealed | None = None) -> str:
    """A name for what the files of a tree say, without comments, layout, paths and the canary; empty for no files."""
    texts = sorted(_plain(file, seal.canary if seal else "") for file in tree.files)
    return fingerprint(texts) if texts else ""


def _plain(file: SourceFile, canary: str) -> str:
    text = file.text.replace(canary, "") if canary else file.text
    return code(text) if file.path.endswith(".py") else squeezed(text)


def _same(
    corpus: Corpus, kind: Kind, what: str, key_of: Mapping[str, str], where: Callable[[str], str]
) -> Iterator[Finding]:
    for case_ids in _shared(key_of):
        if how := apart(corpus, case_ids):
            detail = f"the same {what} is {how}: {', '.join(case_ids)}"
            places = tuple(dict.fromkeys(map(where, case_ids)))
            yield Finding(kind=kind, case_ids=case_ids, detail=detail, where=places)


def _shared(key_of: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """The ids of cases that have one key, sorted, where there are several; an empty key is none."""
    cases = defaultdict(list)
    for case_id, key in sorted(key_of.items()):
        cases[key].append(case_id)
    yield from (tuple(case_ids) for key, case_ids in cases.items() if key and len(case_ids) > 1)


def _declared(case_id: str) -> str:
    """Origins are declared in one file for all cases."""
    del case_id
    return "corpus.toml"


def _place(address: str) -> str:
    """An address of a repository, however it is written: without scheme, user, `.git` and a slash at its end."""
    bare = folded(address).partition("://")[2] or folded(address)
    return bare.rpartition("@")[2].replace(":", "/").removesuffix("/").removesuffix(".git")
