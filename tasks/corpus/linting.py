"""Linting: what would let a split, a seal or a scope leak, found in a corpus as read, without running anything.

Takes    a Corpus.
Gives    findings, sorted; none means that nothing of the kinds below was found.
Refuses  nothing: what a finding means for an experiment is the caller's decision.
Covered      what splits and groups share (`splitting`, `duplicates`); sealed text in sight (`leaking`); licence and
             origin (`licensing`); patches that do not apply or leave the scope (`applying`); open scopes.
Not covered  what lies on disk and is in no case (`surveying`); what only a run shows: flaky and slow tests
             (tasks/trials/proofs.py), and whether tests fail and pass as declared (the control stage).
Source   DESIGN.md, "The seven stages", freeze; datasets/README.md.
"""

from collections.abc import Iterator

from tasks.corpus import duplicates, leaking, licensing, splitting
from tasks.corpus.applying import in_scope, unusable_patches
from tasks.corpus.finding import Finding, case_file, in_order
from tasks.corpus.leaking import visible_text
from tasks.corpus.splitting import is_test
from tasks.records.case import Corpus

__all__ = ["CHECKS", "lint", "visible_text"]

# Paths that no edit may touch in any repository, whether they exist in it or not.
PROTECTED = ("conftest.py", "tests/conftest.py", "tests/test_new.py", "pyproject.toml", "pytest.ini", "tox.ini")


def lint(corpus: Corpus) -> tuple[Finding, ...]:
    """Every finding about a corpus as read, sorted."""
    return in_order(finding for check in CHECKS for finding in check(corpus))


def open_scopes(corpus: Corpus) -> Iterator[Finding]:
    """A scope that lets an edit touch tests, a file that sealed tests are laid over, or, by a wildcard, configuration.

    A case about its configuration says the whole path of it.
    """
    for case in corpus.cases:
        tests = {node.partition("::")[0] for node in case.public.all}
        tests |= {file.path for file in case.repo.files if is_test(file.path)}
        tests |= {file.path for file in corpus.seal(case.case_id).tests.files}
        for path in sorted(tests.union(PROTECTED).difference(set(case.scope) - tests)):
            if in_scope(case, path):
                detail, where = f"scope of {case.case_id!r} allows {path!r}", (case_file(case.case_id),)
                yield Finding(kind="open-scope", case_ids=(case.case_id,), detail=detail, where=where)


CHECKS = (
    splitting.shared_groups,
    splitting.same_cases,
    splitting.same_revisions,
    splitting.same_issues,
    splitting.same_tests,
    splitting.same_origins,
    duplicates.near_issues,
    duplicates.near_trees,
    duplicates.near_tests,
    leaking.canaries,
    leaking.shared_canaries,
    leaking.sealed_text_in_sight,
    leaking.fixes_in_issues,
    leaking.commits_in_sight,
    licensing.licences,
    licensing.origins,
    open_scopes,
    unusable_patches,
)
