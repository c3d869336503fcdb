"""Feedback: what reflection may read about one graded attempt; sealed text never enters it.

Takes    an attempt, its scorecard, the level that the spec declares.
Gives    a Feedback in the layout below: plain text, headings in this order, each line stable for a parser.
Refuses  nothing.
Source   DESIGN.md, "Scores"; gepa#261 (reflection copies what it is shown).

    # Feedback
    score: 0.340000
    ## Components                        from level `components`
    - public_tests: 1.00 (5 of 5 public tests passed)
    - independent evaluation: not passed
    ## Public tests                      from level `full`
    source: last validation              or: reproduction on the untouched code
    passed: 3 of 5
    - tests/test_x.py::test_y: failed
    ### Output                           expected, actual and traceback, as the run showed them
    ...
    ## Refused edits                     only when there are some
    - src/x.py: search text occurs 0 times

Covered      names, counts, reasons and output of sealed tests, and likeness to the control patch, are left out.
Not covered  the score itself is a number about sealed tests: arithmetic tells its parts, never their names.
"""

from typing import Literal

from tasks.records.attempt import Attempt, TestReport
from tasks.records.scorecard import Feedback, Scorecard

Level = Literal["score", "components", "full"]
OPEN_COMPONENTS = ("schema_valid", "patch_valid", "scope_ok", "parses", "public_tests")
MAX_OUTPUT_CHARS = 6_000


def feedback(attempt: Attempt, scorecard: Scorecard, level: Level, public_report: TestReport | None = None) -> Feedback:
    """The text for one attempt; `public_report` None takes the last validation's, else the reproduction's."""
    lines = ["# Feedback", f"score: {scorecard.total:.6f}"]
    if level != "score":
        lines += ["", "## Components", *_components(scorecard)]
    if level == "full":
        source, report = _public(attempt) if public_report is None else ("last validation", public_report)
        lines += ["", "## Public tests", f"source: {source}", *_tests(report), *_refusals(attempt)]
    return Feedback(level=level, text="\n".join(lines) + "\n")


def _components(scorecard: Scorecard) -> list[str]:
    values = {component.name: component for component in scorecard.components}
    opened = [values[name] for name in OPEN_COMPONENTS if name in values]
    passed = "independent_tests" in values and values["independent_tests"].value == 1
    return [
        *(f"- {component.name}: {component.value:.2f} ({component.reason})" for component in opened),
        f"- independent evaluation: {'passed' if passed else 'not passed'}",
    ]


def _public(attempt: Attempt) -> tuple[str, TestReport]:
    """The run that concerns the answer: a rejection and a refused edit left the code as it was."""
    report = attempt.validations[-1].report if attempt.validations and attempt.proposal.edits else None
    return ("last validation", report) if report else ("reproduction on the untouched code", attempt.reproduction)


def _tests(report: TestReport) -> list[str]:
    nodes = tuple(sorted(report.outcomes))
    failing = [f"- {node}: {report.outcomes[node]}" for node in nodes if report.outcomes[node] != "passed"]
    ended = [] if report.ended == "exit" else [f"ended: {report.ended}"]
    return [f"passed: {report.passed(nodes)} of {len(nodes)}", *ended, *failing, "", "### Output", _cut(report.shown)]


def _cut(text: str) -> str:
    """Head and tail: pytest names the cause near the start and sums up at the end."""
    if len(text) <= MAX_OUTPUT_CHARS:
        return text
    half = MAX_OUTPUT_CHARS // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters cut]\n{text[-half:]}"


def _refusals(attempt: Attempt) -> list[str]:
    refused = attempt.validations[-1].refusals if attempt.validations else ()
    lines = [f"- {refusal.path}: {' '.join(refusal.reason.split())}" for refusal in refused]
    return ["", "## Refused edits", *lines] if lines else []
