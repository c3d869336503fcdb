"""Findings: what a corpus must not be used with, each a record that names its kind, its cases and its places."""

from collections.abc import Iterable
from typing import Literal

from tasks.records.base import Record
from tasks.records.errors import Refusal

Kind = Literal[
    # Splits and groups that are not apart.
    "group-across-splits", "group-spelling", "same-revision", "same-commit", "same-repository", "same-tests",
    "same-issue", "same-case", "near-duplicate-issue", "near-duplicate-tree", "near-duplicate-tests", "renamed-tree",
    # Sealed material in sight.
    "canary-missing", "canary-in-sight", "canary-shared", "sealed-test-in-sight", "control-patch-in-sight",
    "fix-in-issue", "patch-in-issue", "commit-in-sight",
    # Folders that are not what reading makes of them.
    "id-collision", "sealed-reachable", "sealed-copy", "link-out-of-case", "left-out-file", "history-in-case",
    "unreadable",
    # Scopes, patches, provenance.
    "open-scope", "unusable-patch", "licence-missing", "licence-unclear", "origin-missing",
    # What only a run shows.
    "flaky-test", "failing-control", "slow-tests",
]  # fmt: skip


class Finding(Record):
    """One thing that is wrong; `where` holds paths relative to the corpus."""

    kind: Kind
    case_ids: tuple[str, ...]
    detail: str
    where: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        return f"{self.kind}: {self.detail}"


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, by kind, cases and detail."""
    distinct = {finding.fingerprint: finding for finding in findings}
    return tuple(sorted(distinct.values(), key=lambda each: (each.kind, each.case_ids, each.detail, each.where)))


def refuse(findings: Iterable[Finding], shown: str) -> None:
    """Raises Refusal, one line with every finding, unless there is none."""
    if lines := [finding.line for finding in in_order(findings)]:
        raise Refusal(f"corpus {shown!r}: {'; '.join(lines)}")


def case_file(case_id: str) -> str:
    return f"cases/{case_id}/case.toml"


def seal_file(case_id: str) -> str:
    return f"sealed/{case_id}/sealed.toml"


def repository(case_id: str, path: str = "") -> str:
    return f"cases/{case_id}/repo/{path}".rstrip("/")


def sealed_tests(case_id: str, path: str = "") -> str:
    return f"sealed/{case_id}/tests/{path}".rstrip("/")
