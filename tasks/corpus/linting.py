"""Linting: what would let a split, a seal or a scope leak, found by reading and without running anything.

Takes    a Corpus.
Gives    findings, one line each, sorted; none means that no leak of the kinds below was found.
Refuses  nothing: what a finding means for an experiment is the caller's decision.
Covered      groups, repositories and near-duplicate texts across splits; canaries; sealed text in sight; open scopes;
             patches that do not apply, and patches outside the scope.
Not covered  what only a run shows (the control stage): whether tests fail and pass as declared, and how strong they
             are; paraphrases, which share no run of five words.
Source   DESIGN.md, "The seven stages", freeze; datasets/README.md.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from tasks.corpus.applying import in_scope, unusable_patches
from tasks.corpus.similarity import jaccard, runs, squeezed, telling_lines
from tasks.records.case import Case, Corpus, Sealed, Split

# Unrelated cases of the pilot stay below 0.01 (measured); a copy with one word in ten replaced is at 0.35 or more.
NEAR_DUPLICATE = 0.2
MIN_TELLING_CHARS = 20
BOILERPLATE = ("import ", "from ", "#", "@pytest", "with pytest.raises", "pytestmark", "if __name__")
# Paths that no edit may touch in any repository, whether they exist in it or not.
PROTECTED = ("conftest.py", "tests/conftest.py", "tests/test_new.py", "pyproject.toml", "pytest.ini", "tox.ini")


def lint(corpus: Corpus) -> tuple[str, ...]:
    """Every finding about a corpus, sorted."""
    return tuple(sorted({finding for check in CHECKS for finding in check(corpus)}))


def shared_groups(corpus: Corpus) -> Iterator[str]:
    """A group is the unit of splitting: it lies in one split."""
    yield from _across_splits(corpus, {case.case_id: case.group for case in corpus.cases}, "group {!r}")


def shared_repositories(corpus: Corpus) -> Iterator[str]:
    """The same revision of a repository lies in one split, whatever its group is called."""
    trees = {case.case_id: case.repo.fingerprint for case in corpus.cases}
    yield from _across_splits(corpus, trees, "repository {:.12}")


def near_duplicates(corpus: Corpus) -> Iterator[str]:
    """Issues, or sources, that are nearly the same in two splits."""
    split_of = _split_of(corpus)
    for kind, text in (("issue", lambda case: case.issue), ("source", _source)):
        read = {case.case_id: runs(text(case)) for case in corpus.cases}
        for one, other in combinations(sorted(read), 2):
            likeness = jaccard(read[one], read[other])
            if split_of[one] != split_of[other] and likeness >= NEAR_DUPLICATE:
                yield f"near-duplicate {kind}: {one!r} and {other!r} are in two splits, likeness {likeness:.2f}"


def canaries(corpus: Corpus) -> Iterator[str]:
    """Each case has a canary of its own, in all of its sealed test files and nowhere in sight."""
    owners = defaultdict(list)
    for seal in corpus.sealed:
        owners[seal.canary].append(seal.case_id)
        for file in seal.tests.files:
            if seal.canary not in file.text:
                yield f"canary of {seal.case_id!r} is missing from its sealed file {file.path!r}"
        for case in corpus.cases:
            if seal.canary in visible_text(case):
                yield f"canary of {seal.case_id!r} is in sight in {case.case_id!r}"
    yield from (f"canary of {owner[0]!r} is also that of {owner[1]!r}" for owner in owners.values() if len(owner) > 1)


def sealed_text_in_sight(corpus: Corpus) -> Iterator[str]:
    """A telling line of a sealed test or of a control patch that stands in the visible part of any case."""
    seen = {case.case_id: squeezed(visible_text(case)) for case in corpus.cases}
    for seal in corpus.sealed:
        for kind, line in _telling(seal):
            for case_id in (case_id for case_id, text in seen.items() if line in text):
                yield f"{kind} of {seal.case_id!r} is in sight in {case_id!r}: {line!r}"


def open_scopes(corpus: Corpus) -> Iterator[str]:
    """A scope that lets an edit touch tests, a file that sealed tests are laid over, or, by a wildcard, configuration.

    A case about its configuration says the whole path of it.
    """
    for case in corpus.cases:
        tests = {node.partition("::")[0] for node in case.public.all}
        tests |= {file.path for file in case.repo.files if _is_test(file.path)}
        tests |= {file.path for file in corpus.seal(case.case_id).tests.files}
        for path in sorted(tests.union(PROTECTED).difference(set(case.scope) - tests)):
            if in_scope(case, path):
                yield f"scope of {case.case_id!r} allows {path!r}"


CHECKS = (
    shared_groups,
    shared_repositories,
    near_duplicates,
    canaries,
    sealed_text_in_sight,
    open_scopes,
    unusable_patches,
)


def visible_text(case: Case) -> str:
    """All that a program may come to see of a case, as one text."""
    files = (f"{file.path}\n{file.text}" for file in case.repo.files)
    return "\n".join([case.case_id, case.group, case.issue, case.constraints, *case.scope, *case.public.all, *files])


def _source(case: Case) -> str:
    return "\n".join(file.text for file in case.repo.files if file.path.endswith(".py"))


def _split_of(corpus: Corpus) -> dict[str, Split]:
    return {case_id: split for split, case_ids in corpus.splits.items() for case_id in case_ids}


def _across_splits(corpus: Corpus, key_of: dict[str, str], label: str) -> Iterator[str]:
    """A line for each key whose cases lie in more than one split."""
    split_of = _split_of(corpus)
    cases = defaultdict(list)
    for case_id, key in sorted(key_of.items()):
        cases[key].append(case_id)
    for key, case_ids in cases.items():
        if len({split_of[case_id] for case_id in case_ids}) > 1:
            yield f"{label.format(key)} is in two splits: {', '.join(case_ids)}"


def _telling(seal: Sealed) -> Iterator[tuple[str, str]]:
    for file in seal.tests.files:
        yield from (("sealed test", line) for line in telling_lines(file.text, MIN_TELLING_CHARS, BOILERPLATE))
    for edit in seal.control.edits:
        before = squeezed(edit.search)
        added = telling_lines(edit.replace, MIN_TELLING_CHARS, BOILERPLATE)
        yield from (("control patch", line) for line in added if line not in before)


def _is_test(path: str) -> bool:
    *folders, name = path.split("/")
    named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return named or bool({"test", "tests"} & set(folders))
