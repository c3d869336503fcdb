"""What each model call takes and gives; no gold patch, past outcome, sealed result or promotion field in any of them.

GEPA matches predictors to traces by signature equality, so no two signatures here have the same fields.
"""

from typing import Any

import dspy

from tasks.program.surface import INSTRUCTIONS


class ExploreRepository(dspy.Signature):
    __doc__ = INSTRUCTIONS["explore"]

    issue: str = dspy.InputField()
    constraints: str = dspy.InputField()
    tools: str = dspy.InputField(desc="The read-only tools and their arguments")
    evidence_so_far: str = dspy.InputField()
    calls_left: int = dspy.InputField()

    tool: str = dspy.OutputField(desc="A tool's name, or finish")
    arguments: dict[str, Any] = dspy.OutputField(desc="The tool's arguments as a JSON object")


class DiagnoseIssue(dspy.Signature):
    __doc__ = INSTRUCTIONS["diagnose"]

    issue: str = dspy.InputField()
    repository_evidence: str = dspy.InputField()
    constraints: str = dspy.InputField()

    diagnosis: str = dspy.OutputField()
    suspected_files: list[str] = dspy.OutputField()
    missing_evidence: str = dspy.OutputField(desc="What could not be established; empty when nothing")
    confidence: float = dspy.OutputField(desc="From 0 to 1")


PATCH_FORM = (
    'A JSON array of edits {"path", "search", "replace"}, where search occurs exactly once in the file '
    '(or {"path", "action": "create", "replace"} or {"path", "action": "delete"}); or REJECT: and the reason'
)


class GeneratePatch(dspy.Signature):
    __doc__ = INSTRUCTIONS["patch"]

    issue: str = dspy.InputField()
    diagnosis: str = dspy.InputField()
    repository_evidence: str = dspy.InputField()
    constraints: str = dspy.InputField()

    patch: str = dspy.OutputField(desc=PATCH_FORM)
    rationale: str = dspy.OutputField()
    expected_behavior_change: str = dspy.OutputField()


class InterpretValidationFailure(dspy.Signature):
    __doc__ = INSTRUCTIONS["interpret"]

    issue: str = dspy.InputField()
    diagnosis: str = dspy.InputField()
    patch: str = dspy.InputField()
    validation_output: str = dspy.InputField()

    failure_analysis: str = dspy.OutputField()
    revision_strategy: str = dspy.OutputField()


class RevisePatch(dspy.Signature):
    __doc__ = INSTRUCTIONS["revise"]

    issue: str = dspy.InputField()
    repository_evidence: str = dspy.InputField()
    rejected_patch: str = dspy.InputField(desc="The patch that failed validation")
    failure_analysis: str = dspy.InputField()
    revision_strategy: str = dspy.InputField()
    constraints: str = dspy.InputField()

    patch: str = dspy.OutputField(desc=PATCH_FORM)
    rationale: str = dspy.OutputField()
    expected_behavior_change: str = dspy.OutputField()
