"""The repair program with scripted models: its bounds hold whatever the model says."""

import json

import dspy
import pytest
from dspy import lm15

from tasks.program.build import build
from tasks.program.surface import INSTRUCTIONS, seed_candidate
from tasks.records.attempt import Proposal, TestReport, Validation
from tasks.records.evidence import Observation
from tasks.records.protocols import Halt

EDITS = json.dumps([{"path": "a.py", "search": "x", "replace": "y"}])
SAID = {
    "explore": {"tool": "search_repository", "arguments": '{"query": "x"}'},
    "diagnose": {"diagnosis": "x is wrong", "suspected_files": '["a.py"]', "missing_evidence": "", "confidence": "0.8"},
    "patch": {"patch": EDITS, "rationale": "r", "expected_behavior_change": "e"},
    "interpret": {"failure_analysis": "f", "revision_strategy": "s"},
    "revise": {"patch": "REJECT: nothing better", "rationale": "r", "expected_behavior_change": "e"},
}


class Scripted:
    """A model that answers each predictor as told, and counts."""

    def __init__(self, **changes):
        self.said = {name: {**fields, **changes.get(name, {})} for name, fields in SAID.items()}
        self.asked = []

    def complete(self, request):
        system = request.system if isinstance(request.system, str) else "".join(part.text for part in request.system)
        folded = " ".join(system.split())
        name = next(name for name, text in INSTRUCTIONS.items() if " ".join(text.split()) in folded)
        self.asked.append(name)
        text = "\n\n".join(f"[[ ## {field} ## ]]\n{value}" for field, value in self.said[name].items())
        message = lm15.Message.assistant([lm15.TextPart(f"{text}\n\n[[ ## completed ## ]]")])
        usage = lm15.Usage(input_tokens=1, output_tokens=1, total_tokens=2)
        return lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)


class Bench:
    """A workshop that counts, answers every tool, and passes the n-th validation."""

    case_id = "c"

    def __init__(self, passes_at=None):
        self.passes_at, self.validations, self.calls = passes_at, 0, []

    @property
    def tools(self):
        return self

    def call(self, call):
        self.calls.append(call)
        return Observation(call=call, output="1: x", truncated=False)

    def reproduce(self):
        return TestReport(tree="t", outcomes={"n": "failed"}, ended="exit", shown="assert 1 == 2", tier="none")

    def validate(self, edits):
        self.validations += 1
        return Validation(
            applied=True,
            in_scope=True,
            parses=True,
            refusals=(),
            tree="t",
            report=self.reproduce(),
            passed=self.validations == self.passes_at,
        )


def run(model, bench, tool_calls=3, revisions=1):
    program = build(seed_candidate("repair"), {"tool_calls": tool_calls, "repair_revisions": revisions})
    lm = dspy.LM("scripted/x", engine=model, cache=False, num_retries=0)
    with dspy.context(lm=lm, adapter=dspy.ChatAdapter(), disable_history=True):
        prediction = program(issue="it breaks", constraints="none", workshop=bench)
    return Proposal.model_validate(prediction.proposal), prediction


def test_no_revision_follows_a_pass():
    """The first patch passes: one validation, and neither interpret nor revise is asked."""
    model, bench = Scripted(), Bench(passes_at=1)
    proposal, _ = run(model, bench)
    assert (bench.validations, model.asked[-1], len(proposal.edits)) == (1, "patch", 1)


def test_at_most_one_revision_follows_a_failure():
    """The first patch fails and the revision fails: two validations, and no third."""
    model, bench = Scripted(revise={"patch": EDITS}), Bench()
    run(model, bench)
    assert (bench.validations, model.asked[-2:]) == (2, ["interpret", "revise"])


def test_a_revision_may_reject():
    """What a failed patch ends in may be a rejection in words; its edits are gone."""
    proposal, _ = run(Scripted(), Bench())
    assert (proposal.edits, proposal.rejection) == ((), "nothing better")


def test_a_policy_without_revisions_has_none():
    """With repair_revisions = 0 a failed patch is final."""
    model, bench = Scripted(), Bench()
    proposal, _ = run(model, bench, revisions=0)
    assert (bench.validations, "revise" in model.asked, len(proposal.edits)) == (1, False, 1)


def test_tool_calls_are_bounded_whatever_the_model_wants():
    """A model that never finishes gets its three calls; a suspected file is read only while calls are left."""
    bench = Bench(passes_at=1)
    run(Scripted(), bench, tool_calls=3)
    assert len(bench.calls) == 3


@pytest.mark.parametrize(
    "asked",
    [
        {"tool": "run_shell"},
        {"arguments": '{"query": ' + str(10**30) + "}"},
        {"arguments": '{"query": "\\ud800"}'},
        {"arguments": '{"root": ["/"]}'},
    ],
    ids=["unknown tool", "enormous integer", "lone surrogate", "list"],
)
def test_a_call_beyond_the_surface_is_an_observation(asked):
    """It is counted and rejected, it reaches no tool, and the evidence has a canonical form."""
    bench = Bench(passes_at=1)
    _, prediction = run(Scripted(explore=asked, diagnose={"suspected_files": "[]"}), bench, tool_calls=2)
    assert [one["status"] for one in prediction.evidence["observations"]] == ["rejected", "rejected"]
    assert bench.calls == []


def test_fields_that_do_not_parse_are_the_candidates_own_score():
    """A confidence that is no number is a schema failure, with at most one extra call for the JSON fallback."""
    model = Scripted(diagnose={"confidence": "quite"})
    proposal, _ = run(model, Bench())
    assert proposal.schema_valid is False
    assert model.asked.count("diagnose") == 2


def test_an_error_of_our_own_is_no_score():
    """Any other exception leaves as a Halt, which DSPy and GEPA cannot turn into 0.0."""
    bench = Bench()
    bench.reproduce = lambda: 1 / 0
    with pytest.raises(Halt, match="harness: ZeroDivisionError"):
        run(Scripted(), bench)
