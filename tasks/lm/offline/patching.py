"""Patches: from the words of a diagnosis or a strategy, and the lines of the evidence, to exact-once edits.

Takes    Prompts of GeneratePatch, InterpretValidationFailure and RevisePatch.
Gives    their output fields; the patch is a JSON array of edits, or `REJECT:` and the reason.
Refuses  honestly: without a repair in words, or a line to make it on, the patch is a rejection.
"""

import json
from typing import Any

from tasks.lm.offline.changes import Change, edits
from tasks.lm.offline.chat import Prompt
from tasks.lm.offline.diagnosis import inquiry_of, repairs_in
from tasks.lm.offline.evidence import Evidence, read_evidence
from tasks.lm.offline.failure import read_failure
from tasks.lm.offline.lessons import lessons_in
from tasks.lm.offline.names import places, stale_in


def patched(prompt: Prompt) -> dict[str, Any]:
    """The first repair of the diagnosis; every place of a stale name where the instruction asks for every place."""
    evidence = read_evidence(prompt.text("repository_evidence"))
    diagnosis = prompt.text("diagnosis")
    changes = _every_place(prompt, diagnosis, evidence) or repairs_in(diagnosis, evidence)[:1]
    return _answer(changes, evidence, "the diagnosis names no repair that the evidence supports")


def revised(prompt: Prompt) -> dict[str, Any]:
    """Every remaining place where the instruction asks for it, else the other repair that the strategy names."""
    evidence = read_evidence(prompt.text("repository_evidence"))
    told = f"{prompt.text('failure_analysis')}\n{prompt.text('revision_strategy')}"
    changes = _every_place(prompt, told, evidence) or repairs_in(told, evidence)[:1]
    made = edits(changes, evidence.lines)
    if made and _same(made, prompt.text("rejected_patch")):
        changes = []
    return _answer(changes, evidence, "no other repair is supported by the evidence")


def _every_place(prompt: Prompt, told: str, evidence: Evidence) -> list[Change]:
    stale = stale_in(told)
    if stale is None or "places" not in lessons_in(prompt.instruction):
        return []
    return places(inquiry_of(evidence, prompt.text("issue")).program, stale)


def _same(made: list[dict[str, str]], rejected: str) -> bool:
    try:
        return bool(json.loads(rejected) == made)
    except (json.JSONDecodeError, RecursionError):
        return False


def _answer(changes: list[Change], evidence: Evidence, reason: str) -> dict[str, Any]:
    made = edits(changes, evidence.lines)
    if not made:
        return rejection(reason)
    files = ", ".join(dict.fromkeys(edit["path"] for edit in made))
    return {
        "patch": json.dumps(made, ensure_ascii=False),
        "rationale": f"The change makes the repair that was diagnosed, in {files}, and nothing else.",
        "expected_behavior_change": "The failing test passes; what passed before is not touched.",
    }


def rejection(reason: str) -> dict[str, Any]:
    """An explicit rejection."""
    return {
        "patch": f"REJECT: {reason}",
        "rationale": "A patch without an established cause would be a guess.",
        "expected_behavior_change": "None: nothing is changed.",
    }


def interpreted(prompt: Prompt) -> dict[str, Any]:
    """What the validation shows, and what the diagnosis leaves to try."""
    failure = read_failure(prompt.text("validation_output"))
    diagnosis = prompt.text("diagnosis")
    error = f"{failure.kind}: {failure.message}".strip(": ") or "a failure without an exception"
    stale = stale_in(diagnosis)
    _, _, other = diagnosis.partition("Alternative repair: ")
    if stale:
        strategy = f"{stale.sentence} Other uses of the old name may remain."
    elif other:
        strategy = f"The first repair did not suffice. Repair: {other}"
    else:
        strategy = "The diagnosis names no other repair, so a revision would be a guess."
    return {
        "failure_analysis": f"The patch does not suffice: validation still shows {error}.",
        "revision_strategy": strategy,
    }
