"""Diagnosis: what the engine says about a cause, and what it reads back from such words.

Takes    a Prompt of DiagnoseIssue, with the lessons of its instruction.
Gives    the four output fields; the repair is a sentence of the diagnosis, in a form that `repairs_in` reads.
Refuses  nothing: without the lesson that a failure needs it says what was not established.
"""

import re
from typing import Any

from tasks.lm.offline import absence, arithmetic, boundaries
from tasks.lm.offline.changes import Change
from tasks.lm.offline.chat import Prompt
from tasks.lm.offline.evidence import Evidence, read_evidence
from tasks.lm.offline.failure import Failure, read_failure
from tasks.lm.offline.hypotheses import Hypothesis, holding
from tasks.lm.offline.lessons import Lesson, lessons_in
from tasks.lm.offline.names import Stale, find_stale, places
from tasks.lm.offline.suspects import Inquiry
from tasks.lm.offline.walk.program import Program

FAMILIES = {"values": arithmetic.propose, "boundaries": boundaries.propose, "absence": absence.propose}
_REPLACE = re.compile(r"in `(?P<path>[^`\n]+)` line (?P<line>\d+), replace `(?P<old>[^`\n]*)` with `(?P<new>[^`\n]*)`")
_INSERT = re.compile(
    r"in `(?P<path>[^`\n]+)` before line (?P<line>\d+), insert `(?P<test>if [^`\n]*): (?P<action>[^`\n:]+)`"
)


def diagnosed(prompt: Prompt) -> dict[str, Any]:
    """The fields of a diagnosis."""
    evidence = read_evidence(prompt.text("repository_evidence"))
    inquiry = inquiry_of(evidence, prompt.text("issue"))
    stale = find_stale(inquiry)
    if stale and (places_of_it := places(inquiry.program, stale)):
        return _renaming(inquiry, stale, places_of_it)
    lessons = lessons_in(prompt.instruction)
    proposed = [one for name, family in FAMILIES.items() if name in lessons for one in family(inquiry)]
    held = holding(inquiry, proposed)
    return _explained(held) if held else _open(inquiry.failure, evidence, lessons)


def inquiry_of(evidence: Evidence, issue: str) -> Inquiry:
    """The evidence as a program with an issue."""
    return Inquiry(Program(evidence.sources), issue, read_failure(evidence.failure))


def _explained(held: list[Hypothesis]) -> dict[str, Any]:
    first = held[0]
    sentences = [
        f"In `{first.change.path}`, {_where(first)}: {first.cause}.",
        f"Repair: {said(first.change)}.",
        *(f"Alternative repair: {said(other.change)}." for other in held[1:]),
    ]
    return {
        "diagnosis": " ".join(sentences),
        "suspected_files": list(dict.fromkeys(one.change.path for one in held[:1])),
        "missing_evidence": "",
        "confidence": 0.9 if len(held) == 1 else 0.8,
    }


def _where(hypothesis: Hypothesis) -> str:
    line = f"line {hypothesis.change.line}"
    return (
        f"function `{hypothesis.function}`, {line}"
        if hypothesis.function.isidentifier()
        else f"{line}, at module level"
    )


def _renaming(inquiry: Inquiry, stale: Stale, found: list[Change]) -> dict[str, Any]:
    first = first_place(inquiry, found)
    error = inquiry.failure.message or "the name does not exist"
    return {
        "diagnosis": (
            f"In `{first.path}` line {first.line} the old name `{stale.old}` is used, which no longer exists "
            f"({inquiry.failure.kind or 'NameError'}: {error}). {stale.sentence} Repair: {said(first)}."
        ),
        "suspected_files": list(dict.fromkeys([first.path, *(change.path for change in found)])),
        "missing_evidence": "",
        "confidence": 0.8,
    }


def first_place(inquiry: Inquiry, found: list[Change]) -> Change:
    """The place that the traceback names, else the first one."""
    lines = [(frame.path, frame.line) for frame in inquiry.failure.source_frames]
    lines += [at for outcome in inquiry.failing.values() for at in reversed(outcome.at)]
    return next((change for at in lines for change in found if (change.path, change.line) == at), found[0])


def _open(failure: Failure, evidence: Evidence, lessons: frozenset[Lesson]) -> dict[str, Any]:
    """The proximate error, and what was not established."""
    frame = next(iter(failure.source_frames), None)
    place = f" in `{frame.function}` at {frame.path}:{frame.line}" if frame else ""
    error = f"{failure.kind}: {failure.message}".strip(": ") or "an unexplained failure"
    gap = "no single change of the code that was read explains it" if lessons else "its cause was not looked into"
    sources = [path for path in evidence.sources if not path.startswith("tests/")]
    return {
        "diagnosis": f"The proximate error is {error}{place}; {gap}.",
        "suspected_files": [frame.path] if frame else sources[:1],
        "missing_evidence": f"The root cause was not established: {gap}.",
        "confidence": 0.2,
    }


def said(change: Change) -> str:
    """A change in words, as `repairs_in` reads it."""
    if change.is_insertion:
        test, action = change.new.split("\n")[:2]
        return f"in `{change.path}` before line {change.line}, insert `{test.strip()} {action.strip()}`"
    return f"in `{change.path}` line {change.line}, replace `{change.old.strip()}` with `{change.new.strip()}`"


def repairs_in(text: str, evidence: Evidence) -> list[Change]:
    """The changes that a text speaks of, in order, as far as the evidence shows their lines."""
    found: list[tuple[int, Change]] = []
    for match in _REPLACE.finditer(text):
        old = evidence.lines.get(match["path"], {}).get(int(match["line"]), "")
        if old.strip() == match["old"].strip() != "":
            indent = old[: len(old) - len(old.lstrip())]
            found.append((match.start(), Change(match["path"], int(match["line"]), old, indent + match["new"].strip())))
    for match in _INSERT.finditer(text):
        old = evidence.lines.get(match["path"], {}).get(int(match["line"]), "")
        indent = old[: len(old) - len(old.lstrip())]
        new = f"{indent}{match['test']}:\n{indent}    {match['action']}\n{old}"
        if old:
            found.append((match.start(), Change(match["path"], int(match["line"]), old, new)))
    return [change for _, change in sorted(found, key=lambda pair: pair[0])]
