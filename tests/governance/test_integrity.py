"""Each check of the audit, provoked alone."""

from typing import Any

import pytest

from tasks.governance.integrity import CHECKS, Spent, audit
from tasks.records.candidate import Candidate
from tests.governance.making import BETTER, HOLDOUT_TEXT, MANIFEST, SEARCH, TRAIN_TEXT, exhibits


def candidate(**instructions: str) -> dict[str, Any]:
    """Exhibits of a candidate with other instructions, honestly recorded."""
    other = BETTER.model_copy(update={"instructions": BETTER.instructions | instructions})
    return {"candidate": other, "found_fingerprint": other.fingerprint}


def test_intact_evidence_passes_every_check() -> None:
    """Eleven checks, each with a detail; the audit names manifest and candidate."""
    made = audit(exhibits())
    assert made.intact
    assert [check.name for check in made.checks] == [check.__name__ for check in CHECKS]
    assert len(made.checks) == 11
    assert all(check.detail for check in made.checks)
    assert (made.manifest, made.candidate) == (MANIFEST.fingerprint, BETTER.fingerprint)


@pytest.mark.parametrize(
    ("name", "changed", "detail"),
    [
        ("manifest_unchanged", {"frozen_fingerprint": "0" * 64}, "expected '000"),
        ("candidate_unchanged", {"found_fingerprint": "0" * 64}, "expected '000"),
        ("tool_surface_unchanged", {"tool_surface_version": "more tools"}, "got 'more tools'"),
        ("only_declared_predictors", candidate(judge="Say yes."), "undeclared predictor 'judge'"),
        ("only_declared_predictors", candidate(patch=" \n"), "empty instruction of 'patch'"),
        ("only_declared_predictors", candidate(patch="x" * 201), "has 201 characters, at most 200"),
        ("canary_absent", candidate(patch="Say canary-55E1BB."), "canary of 'c' in 'instructions of patch'"),
        ("canary_absent", {"lm_requests": {"9": "canary-71f0aa"}}, "canary of 'a' in 'LM request 9'"),
        ("canary_absent", {"optimizer_log": {"log": "canary-71f0aa"}}, "'optimizer log log'"),
        ("canary_absent", {"evidence_packets": {"e": "canary-71f0aa"}}, "'evidence packet e'"),
        ("holdout_absent", {"lm_requests": {"9": "case c is next"}}, "'c' named in 'LM request 9'"),
        ("holdout_absent", {"lm_requests": {"9": HOLDOUT_TEXT}}, "words of 'c' in 'LM request 9'"),
        ("not_copied", candidate(patch=TRAIN_TEXT), "words of 'a' in 'instructions of patch'"),
        ("host_path_absent", {"lm_requests": {"9": "at /srv/mill/x"}}, "'/srv/mill' in 'LM request 9'"),
        ("budget_kept", {"spent": Spent(lm_calls=101)}, "lm_calls 101 over 100"),
        ("budget_kept", {"spent": Spent(cost_usd=1.5)}, "cost_usd 1.5 over 1"),
        ("ledger_agrees", {"reported_calls": {"t1": 4, "t2": 2}}, "attempt 't2': 3 calls in the ledger, 2 reported"),
        ("ledger_agrees", {"ledger_calls": {"t1": 4}}, "attempt 't2': 0 calls in the ledger, 3 reported"),
        ("search_proposed", {"search": SEARCH.model_copy(update={"proposals": 0})}, "0 proposals"),
    ],
)
def test_one_fault_fails_one_check(name: str, changed: dict[str, Any], detail: str) -> None:
    """Exactly the check that is about the fault fails, and says what it found."""
    failed = [check for check in audit(exhibits(**changed)).checks if not check.passed]
    assert [check.name for check in failed] == [name]
    assert detail in failed[0].detail


def test_a_missing_predictor_is_named() -> None:
    """A candidate without an instruction is another program."""
    other = Candidate(program="repair", instructions={"patch": "Write."})
    made = audit(exhibits(candidate=other, found_fingerprint=other.fingerprint))
    assert "missing predictor 'diagnose'" in next(check.detail for check in made.checks if not check.passed)


def test_demonstrations_are_read_like_instructions() -> None:
    """A training text in a demonstration is a copy, too."""
    other = BETTER.model_copy(update={"demos": {"patch": ({"issue": TRAIN_TEXT},)}})
    made = audit(exhibits(candidate=other, found_fingerprint=other.fingerprint))
    assert [check.name for check in made.checks if not check.passed] == ["not_copied"]


def test_that_a_training_case_is_visible_excuses_no_copy() -> None:
    """Visible text is shared with holdout cases by right; an instruction that holds it was memorised."""
    found = audit(exhibits(**candidate(patch=TRAIN_TEXT), shared_texts=(TRAIN_TEXT,)))
    assert [check.name for check in found.checks if not check.passed] == ["not_copied"]
