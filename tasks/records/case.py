"""Cases: what a program may come to see, and, apart from it, what it never sees."""

from typing import Literal

from pydantic import Field

from tasks.records.base import Record
from tasks.records.tree import SourceTree

Split = Literal["train", "dev", "holdout"]
EditAction = Literal["replace", "create", "delete"]


class Edit(Record):
    """One change to one file. `replace` needs `search` to occur exactly once; `create` a path that is free."""

    path: str
    search: str = ""
    replace: str = ""
    action: EditAction = "replace"


class TestNodes(Record):
    """pytest node ids by what they must do: fail before the fix and pass after it, or pass throughout."""

    __test__ = False

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return self.fail_to_pass + self.pass_to_pass


class Case(Record):
    """The visible part of a case. `repo` includes the public tests; `scope` holds globs of the paths open to edits.

    `requirements` are exact pins of what the repository needs beside the standard library and pytest, in name order.
    """

    case_id: str
    group: str
    issue: str
    constraints: str
    repo: SourceTree
    scope: tuple[str, ...]
    public: TestNodes
    requirements: tuple[str, ...] = ()


class KnownPatch(Record):
    """A patch whose verdict is known beforehand, and why; `passes_public` promises that the public tests admit it."""

    name: str
    why: str
    edits: tuple[Edit, ...]
    passes_public: bool = False


class Truth(Record):
    """What a right diagnosis says: the files at fault, and facets each of which is met by any one of its phrases.

    `family` is the kind of defect, as its author calls it; None where nobody said.
    """

    files: tuple[str, ...]
    facets: tuple[tuple[str, ...], ...]
    family: str | None = None


class Sealed(Record):
    """The sealed part of a case: never copied with it, never sent to the worker."""

    case_id: str
    canary: str
    tests: SourceTree
    nodes: TestNodes
    control: KnownPatch
    wrong: tuple[KnownPatch, ...]
    truth: Truth


class Origin(Record):
    """Where a case was taken from: an address, a whole commit id, and a licence if it is not that of the corpus."""

    repository: str
    commit: str
    licence: str | None = None


class Corpus(Record):
    """A corpus as read from disk; `looks` is how many experiments may look at its holdout.

    `origin` says where its cases come from, `origins` the same of single cases, by id; both may say nothing.
    """

    name: str
    version: str
    licence: str = ""
    origin: str = ""
    origins: dict[str, Origin] = Field(default_factory=dict)
    looks: int
    cases: tuple[Case, ...]
    sealed: tuple[Sealed, ...]
    splits: dict[Split, tuple[str, ...]]

    def case(self, case_id: str) -> Case:
        return next(case for case in self.cases if case.case_id == case_id)

    def seal(self, case_id: str) -> Sealed:
        return next(seal for seal in self.sealed if seal.case_id == case_id)
