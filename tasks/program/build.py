"""From a candidate to a running program and back; candidates are plain data, never a saved module."""

import dspy

from tasks.program.repair import Repair
from tasks.program.surface import INSTRUCTIONS
from tasks.records.candidate import Candidate


def build(candidate: Candidate, runtime_policy: dict[str, int]) -> dspy.Module:
    """The program with the candidate's instructions and demonstrations.

    Raises ValueError for predictors other than the declared ones; freeze and audit refuse such a candidate earlier.
    """
    if set(candidate.instructions) != set(INSTRUCTIONS):
        raise ValueError(f"expected predictors {sorted(INSTRUCTIONS)}, got {sorted(candidate.instructions)}")
    program = Repair(tool_calls=runtime_policy["tool_calls"], revisions=runtime_policy["repair_revisions"])
    for name, predictor in program.named_predictors():
        predictor.signature = predictor.signature.with_instructions(candidate.instructions[name])
        predictor.demos = [dspy.Example(**demo) for demo in candidate.demos.get(name, ())]
    return program
