"""Audit: whether the candidate's evidence is intact; never how good the candidate is.

Takes    an Optimized with a candidate.
Gives    an Audited: every check, whether it held or not.
Refuses  nothing: a check that does not hold keeps the holdout closed and becomes a REJECT.
Source   DESIGN.md, "The seven stages". Looked through for canaries, holdout ids and text, and paths of this machine:
         every request to a model, the optimizer's own log, the evidence packets and the candidate.
"""

import tempfile
from collections import Counter
from pathlib import Path

from tasks.governance import integrity
from tasks.program.surface import tool_surface_version
from tasks.records.attempt import Attempt
from tasks.records.candidate import Candidate
from tasks.records.case import Case, Sealed
from tasks.records.fingerprint import fingerprint
from tasks.records.stages import Audited, Baseline, Optimized
from tasks.trials.laboratory import Laboratory
from tasks.worker.model_broker import REFLECTION

VERSION = "1"
AFTER = ("holdout", "rerun", "preflight")
"""Sessions that belong to no attempt before the boundary."""


def audit(lab: Laboratory, before: Baseline, optimized: Optimized) -> Audited:
    """Read everything that was written before the boundary of the holdout."""
    candidate = optimized.candidate or lab.manifest.program_version.candidate
    return Audited(
        manifest=lab.manifest.fingerprint,
        optimized=optimized.fingerprint,
        candidate=candidate,
        audit=integrity.audit(exhibits(lab, before, optimized, candidate)),
    )


def exhibits(lab: Laboratory, before: Baseline, optimized: Optimized, candidate: Candidate) -> integrity.Exhibits:
    """The evidence as plain values."""
    attempts = {name: lab.store.get(name, Attempt) for name in {*before.attempts, *optimized.attempts}}
    rows = [row for row in lab.ledger.rows() if row.attempt and not row.session.startswith(AFTER)]
    visible = (*lab.cases("train"), *lab.cases("dev"))
    sealed = lab.cases("holdout")
    discoveries = tuple(enumerate(optimized.search.discoveries))
    return integrity.Exhibits(
        manifest=lab.manifest,
        frozen_fingerprint=optimized.manifest,
        candidate=candidate,
        found_fingerprint=fingerprint({"record": "Candidate", "body": _found(optimized, candidate).body()}),
        search=optimized.search,
        tool_surface_version=tool_surface_version(),
        spent=integrity.Spent(**lab.ledger.spent()._asdict()),
        ledger_calls=Counter(f"{row.session}/{row.attempt}" for row in rows if row.attempt != REFLECTION),
        reported_calls=_reported(before, optimized, attempts),
        lm_requests={f"request {row.request}": row.request_json for row in rows},
        optimizer_log={"optimizer log": lab.store.get_bytes(optimized.log).decode("utf-8", errors="replace")},
        evidence_packets={
            **{f"attempt {name}": attempt.model_dump_json() for name, attempt in attempts.items()},
            **{f"candidate {number}": found.candidate.model_dump_json() for number, found in discoveries},
        },
        canaries={seal.case_id: seal.canary for seal in lab.corpus.sealed},
        holdout_texts={case.case_id: _secret(case, seal) for case, seal in zip(sealed, lab.seals(sealed), strict=True)},
        train_texts={case.case_id: case.issue for case in lab.cases("train")},
        shared_texts=tuple(_visible(case) for case in visible),
        homes=(str(lab.home), str(Path.home()), tempfile.gettempdir()),
    )


def _found(optimized: Optimized, candidate: Candidate) -> Candidate:
    """The best of the search as it was written down, apart from the candidate that was handed on."""
    if optimized.candidate is None:
        return candidate
    best = max(optimized.search.discoveries[1:], key=lambda found: found.dev_score)
    return best.candidate


def _reported(before: Baseline, optimized: Optimized, attempts: dict[str, Attempt]) -> dict[str, int]:
    """Calls by attempt as the worker told them; of failed attempts, as the broker had counted them."""
    calls: Counter[str] = Counter()
    for name in before.attempts:
        attempt = attempts[name]
        calls[f"{attempt.session}/{attempt.arm}/{attempt.case_id}"] += attempt.usage.lm_calls
    for name in optimized.attempts:
        attempt = attempts[name]
        calls[f"{attempt.session}/{attempt.case_id}"] += attempt.usage.lm_calls
    for failed in before.marks.failures:
        if failed.lm_calls:
            calls[f"{failed.session}/{failed.arm}/{failed.case_id}"] = failed.lm_calls
    return calls


def _visible(case: Case) -> str:
    return "\n".join([case.issue, case.constraints, *(file.text for file in case.repo.files)])


def _secret(case: Case, seal: Sealed) -> str:
    edits = (edit.replace for edit in seal.control.edits)
    return "\n".join([_visible(case), *(file.text for file in seal.tests.files), *edits])
