"""The holdout ledger: a sealed case is looked at as often as was declared, by whatever name and in whatever company."""

import sqlite3

import pytest

from tasks.evidence.looks import LookLedger, case_content, holdout_fingerprint
from tasks.records.case import Case, KnownPatch, Sealed, TestNodes, Truth
from tasks.records.errors import Damaged, LookRefused, Refusal
from tasks.records.tree import SourceTree
from tasks.records.verdict import Look

CASES = ("a" * 64, "b" * 64)
NODES = TestNodes(fail_to_pass=("test_a",))


@pytest.fixture
def ledger(home):
    """An empty ledger."""
    return LookLedger(home.looks)


def case_and_seal(case_id="one", code="x = 1\n", tests="def test_a(): ..."):
    """A case and its sealed part."""
    case = Case(
        case_id=case_id, group=f"group of {case_id}", issue="", constraints="", scope=("*",), public=NODES,
        repo=SourceTree.of({"a.py": code}),
    )  # fmt: skip
    sealed = Sealed(
        case_id=case_id, canary=f"canary of {case_id}", tests=SourceTree.of({"test_a.py": tests}), nodes=NODES,
        control=KnownPatch(name="control", why="", edits=()), wrong=(), truth=Truth(files=(), facets=()),
    )  # fmt: skip
    return case, sealed


def test_the_first_look_is_number_one(ledger):
    """A look names the holdout, the manifest and the candidate."""
    expected = Look(holdout=holdout_fingerprint(CASES), manifest="m", candidate="c", number=1)
    assert ledger.take(CASES, "m", "c", 1) == expected


def test_the_same_look_again_is_the_same_look(ledger):
    """A run that was killed resumes without paying twice."""
    assert ledger.take(CASES, "m", "c", 1) == ledger.take(CASES[::-1], "m", "c", 1)
    assert len(ledger.looks_used(CASES)) == 1


@pytest.mark.parametrize(("manifest", "candidate"), [("other", "c"), ("m", "other")])
def test_another_manifest_or_candidate_takes_the_next_look(ledger, manifest, candidate):
    """Either asks the holdout something new."""
    ledger.take(CASES, "m", "c", 2)
    assert ledger.take(CASES, manifest, candidate, 2).number == 2


def test_a_look_beyond_the_declared_number_is_refused_in_one_line(ledger):
    """The line tells how many were used, and by which manifests."""
    ledger.take(CASES, "first-manifest", "c", 2)
    ledger.take(CASES, "second-manifest", "c", 2)
    expected = r"^look 3 at holdout .*: 2 declared, 2 used by manifests first-manife .*, second-manif .*$"
    with pytest.raises(LookRefused, match=expected):
        ledger.take(CASES, "third", "c", 2)


def test_a_refused_look_is_not_taken(ledger):
    """It saw nothing."""
    ledger.take(CASES, "m", "c", 1)
    with pytest.raises(LookRefused):
        ledger.take(CASES, "n", "c", 1)
    assert [look.manifest for look in ledger.looks_used(CASES)] == ["m"]


def test_a_holdout_that_shares_a_case_counts(ledger):
    """Cases are what is looked at; a split around them is a name."""
    ledger.take(CASES, "m", "c", 1)
    with pytest.raises(LookRefused):
        ledger.take(("b" * 64, "d" * 64), "n", "c", 1)


def test_holdouts_without_a_common_case_do_not_count(ledger):
    """Fresh cases are the remedy."""
    ledger.take(CASES, "m", "c", 1)
    assert ledger.take(("d" * 64,), "n", "c", 1).number == 1


def test_declaring_more_looks_after_the_first_one_does_not_help(ledger):
    """A first look tested at the whole alpha; nothing of it is left, whatever the corpus says now."""
    ledger.take(CASES, "m", "c", 1)
    with pytest.raises(LookRefused, match="5 declared, 1 used by manifests m "):
        ledger.take(CASES, "n", "c", 5)


def test_looks_spend_no_more_than_alpha_together(ledger):
    """1/4 + 1/2 leaves 1/4: a third look at 1/2 is too many, one at 1/4 is not."""
    ledger.take(CASES, "m", "c", 4)
    ledger.take(CASES, "n", "c", 2)
    with pytest.raises(LookRefused):
        ledger.take(CASES, "o", "c", 3)
    assert ledger.take(CASES, "o", "c", 4).number == 3


def test_a_look_at_nothing_is_refused(ledger):
    """An empty holdout would never overlap."""
    with pytest.raises(Refusal, match="at least one case"):
        ledger.take((), "m", "c", 1)


@pytest.mark.parametrize("looks_allowed", [0, -1])
def test_no_declared_looks_are_refused(ledger, looks_allowed):
    """Not even the first look is free."""
    with pytest.raises(LookRefused):
        ledger.take(CASES, "m", "c", looks_allowed)


def test_a_renamed_case_is_the_same_content():
    """Neither its id, its group nor its canary is what a look reveals."""
    assert case_content(*case_and_seal("one")) == case_content(*case_and_seal("two"))


@pytest.mark.parametrize("change", [{"code": "x = 2\n"}, {"tests": "def test_a(): assert True"}])
def test_other_code_or_other_tests_are_other_content(change):
    """Those are what is looked at."""
    assert case_content(*case_and_seal()) != case_content(*case_and_seal(**change))


def test_looks_outlive_the_process(ledger, home):
    """The ledger is a file."""
    ledger.take(CASES, "m", "c", 1)
    assert [look.number for look in LookLedger(home.looks).looks_used(CASES)] == [1]


def test_a_damaged_ledger_is_not_an_empty_one(home):
    """Nobody gets fresh looks by breaking the file."""
    home.looks.write_bytes(b"no database at all" * 100)
    with pytest.raises(Damaged, match=r"^holdout ledger '.*' is damaged: .* restore it from a copy"):
        LookLedger(home.looks)


def test_the_ledger_is_in_wal_mode(ledger, home):
    """Readers never block the one writer."""
    connection = sqlite3.connect(home.looks)
    mode = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    assert mode == ("wal",)


TAKING = """
import sys
from pathlib import Path
from tasks.evidence.looks import LookLedger
from tasks.records.errors import LookRefused
while not Path(sys.argv[2]).exists():
    pass
for number in range(4):
    try:
        print(LookLedger(Path(sys.argv[1])).take(["a" * 64], sys.argv[3], str(number), 5).number)
    except LookRefused:
        print("refused")
"""


def test_concurrent_runs_never_share_a_look(home, python):
    """Four processes ask sixteen times for five looks: five numbers are given, once each."""
    start = home.root / "start"
    askers = [python(TAKING, home.looks, start, name) for name in "abcd"]
    start.touch()
    answers = [asker.communicate(timeout=60) for asker in askers]
    said = [line for out, _ in answers for line in out.split()]
    assert [err for _, err in answers] == [""] * 4
    assert sorted(said) == ["1", "2", "3", "4", "5", *["refused"] * 11]
