"""Repair: explore, diagnose, choose, patch, validate in isolation, revise at most once and never after a pass.

Takes    an issue, its constraints and a workshop (tools and development validation, never a signature field).
Gives    a dspy.Prediction with `proposal` (a records Proposal as JSON), `evidence` and `validations`.
Refuses  nothing: whatever the model does wrong is its own score. Trouble that is not the model's is a Halt.
Source   DESIGN.md, "Programs"; the runtime policy is declared in surface.py and frozen in the manifest.
"""

from collections.abc import Sequence
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from tasks.program import signatures
from tasks.program.cleaning import clean
from tasks.program.explore import explore, observe
from tasks.program.patches import Parsed, parse_patch
from tasks.program.rendering import evidence_text, validation_text
from tasks.records.attempt import Proposal, TestReport, Validation
from tasks.records.evidence import EvidencePacket, Observation, normalized, request_of
from tasks.records.protocols import Halt, Workshop


class Repair(dspy.Module):
    """The repair program. `tool_calls` and `revisions` are ceilings of the runtime, not wishes of the model."""

    def __init__(self, tool_calls: int, revisions: int) -> None:
        super().__init__()
        self.tool_calls, self.revisions = tool_calls, revisions
        self.explore = dspy.Predict(signatures.ExploreRepository)
        self.diagnose = dspy.Predict(signatures.DiagnoseIssue)
        self.patch = dspy.Predict(signatures.GeneratePatch)
        self.interpret = dspy.Predict(signatures.InterpretValidationFailure)
        self.revise = dspy.Predict(signatures.RevisePatch)

    def forward(self, issue: str, constraints: str, workshop: Workshop) -> dspy.Prediction:
        """One attempt. Raises Halt for an error of our own: DSPy and GEPA would make 0.0 of any Exception."""
        try:
            return self._attempt(issue, constraints, workshop)
        except Exception as error:
            raise Halt("harness", f"{type(error).__name__}: {str(error)[:300]}") from error

    def _attempt(self, issue: str, constraints: str, workshop: Workshop) -> dspy.Prediction:
        issue, constraints = normalized(issue), normalized(constraints)
        reproduction = workshop.reproduce()
        said: dict[str, Any] = {}
        observations: list[Observation] = []
        validations: list[Validation] = []
        try:
            explore(self.explore, issue, constraints, reproduction, workshop, self.tool_calls, observations)
            said |= self._diagnosis(issue, constraints, reproduction, observations)
            said["intervention"] = self._choose(said, workshop, observations)
            evidence = evidence_text(reproduction, observations)
            if said["intervention"] == "reject":
                said["rejection"] = said["missing_evidence"] or "no cause was established"
            else:
                said |= self._patched(issue, constraints, evidence, said, workshop, validations)
        except AdapterParseError:
            said["schema_valid"] = False
        request = request_of(issue, constraints, reproduction.body())
        packet = EvidencePacket(request=request, observations=tuple(observations))
        return dspy.Prediction(
            proposal=Proposal(**said).body(),
            evidence=packet.body(),
            instructions={name: predictor.signature.instructions for name, predictor in self.named_predictors()},
        )

    def _diagnosis(
        self, issue: str, constraints: str, reproduction: TestReport, observations: Sequence[Observation]
    ) -> dict[str, Any]:
        told = self.diagnose(
            issue=issue, constraints=constraints, repository_evidence=evidence_text(reproduction, observations)
        )
        return {
            "diagnosis": clean(told.diagnosis),
            "suspected_files": tuple(clean(path) for path in told.suspected_files),
            "missing_evidence": clean(told.missing_evidence),
            "confidence": min(1.0, max(0.0, told.confidence)),
        }

    def _choose(self, said: dict[str, Any], workshop: Workshop, observations: list[Observation]) -> str:
        """Edit, after reading what is suspected but unread as far as calls are left; reject without a diagnosis."""
        if not said["diagnosis"].strip():
            return "reject"
        read = {str(seen.call.arguments.get("path")) for seen in observations if seen.call.tool == "read_file"}
        for path in said["suspected_files"]:
            if path not in read and len(observations) < self.tool_calls:
                observations.append(observe(workshop.tools, "read_file", {"path": path}))
        return "edit"

    def _patched(
        self,
        issue: str,
        constraints: str,
        evidence: str,
        said: dict[str, Any],
        workshop: Workshop,
        validations: list[Validation],
    ) -> dict[str, Any]:
        told = self.patch(
            issue=issue, constraints=constraints, repository_evidence=evidence, diagnosis=said["diagnosis"]
        )
        parsed = parse_patch(told.patch)
        answer = _answer(told, parsed)
        if not parsed.edits:
            return answer
        validations.append(workshop.validate(parsed.edits))
        if validations[-1].passed or self.revisions == 0:
            return answer
        read = self.interpret(
            issue=issue,
            diagnosis=said["diagnosis"],
            patch=told.patch,
            validation_output=validation_text(validations[-1]),
        )
        again = self.revise(
            issue=issue,
            constraints=constraints,
            repository_evidence=evidence,
            rejected_patch=told.patch,
            failure_analysis=read.failure_analysis,
            revision_strategy=read.revision_strategy,
        )
        revised = parse_patch(again.patch)
        if revised.edits:
            validations.append(workshop.validate(revised.edits))
        heard = {"failure_analysis": clean(read.failure_analysis), "revision_strategy": clean(read.revision_strategy)}
        return _answer(again, revised) | heard


def _answer(told: dspy.Prediction, parsed: Parsed) -> dict[str, Any]:
    return {
        "edits": parsed.edits,
        "rejection": parsed.rejection,
        "schema_valid": not parsed.problem,
        "rationale": clean(told.rationale),
        "expected_behavior_change": clean(told.expected_behavior_change),
    }
