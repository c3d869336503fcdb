"""With the real library: DSPy's own prompts are understood, and its own parsers understand the answers."""

import dspy
import pytest
from dspy import lm15
from dspy.teleprompt.gepa.instruction_proposal import InstructionProposer

from tasks.lm.offline.lessons import SENTENCES
from tasks.lm.offline.reflector import ReflectorEngine
from tasks.lm.offline.rules import RulesEngine
from tasks.program import signatures
from tasks.program.surface import INSTRUCTIONS
from tasks.records.model import Asker, Message, ModelRequest
from tasks.records.protocols import Provider
from tests.lm.test_offline_reflector import example
from tests.lm.test_offline_rules import TAUGHT, applied, case


class Bridge:
    """A DSPy engine in front of a provider."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider

    def complete(self, request: lm15.Request) -> lm15.Response:
        messages = tuple(Message(role="user", content=message.text or "") for message in request.messages)
        asked = ModelRequest(model=request.model, system=str(request.system or ""), messages=messages)
        reply = self.provider.complete(asked, Asker(session="s", attempt="a"), 0)
        usage = lm15.Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, total_tokens=1)
        message = lm15.Message.assistant([lm15.TextPart(reply.text)])
        return lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)


def model(provider: Provider) -> dspy.LM:
    """A dspy.LM over a provider."""
    return dspy.LM("offline/model", engine=Bridge(provider), cache=False, num_retries=0)


@pytest.mark.parametrize("adapter", [dspy.ChatAdapter(), dspy.JSONAdapter()], ids=["chat", "json"])
def test_all_five_signatures_parse(adapter):
    """Both adapters read every field of every call, with its type."""
    issue, before, after, evidence = case("range")
    inputs = {"issue": issue, "constraints": "none"}
    with dspy.context(lm=model(RulesEngine(0, 0.0)), adapter=adapter, disable_history=True):
        looked = dspy.Predict(signatures.ExploreRepository)(**inputs, tools="t", evidence_so_far=evidence, calls_left=6)
        told = dspy.Predict(signatures.DiagnoseIssue.with_instructions(TAUGHT["diagnose"]))(
            **inputs, repository_evidence=evidence
        )
        made = dspy.Predict(signatures.GeneratePatch)(**inputs, repository_evidence=evidence, diagnosis=told.diagnosis)
        read = dspy.Predict(signatures.InterpretValidationFailure)(
            issue=issue, diagnosis=told.diagnosis, patch=made.patch, validation_output="E   assert 1 == 2"
        )
        again = dspy.Predict(signatures.RevisePatch)(
            **inputs, repository_evidence=evidence, rejected_patch=made.patch, **read
        )
    assert (looked.tool, looked.arguments) == ("finish", {})
    assert (told.suspected_files, told.missing_evidence, told.confidence) == (["depot.py"], "", 0.9)
    assert applied(before, made.patch) == after
    assert again.patch.startswith("REJECT:")


def test_the_instruction_proposer_is_answered():
    """GEPA's own proposer gets the current instruction and one lesson."""
    proposer = InstructionProposer(max_chars=4000, additional_instructions="State general rules.")
    with dspy.context(lm=model(ReflectorEngine()), disable_history=True):
        made = proposer({"diagnose": INSTRUCTIONS["diagnose"]}, {"diagnose": [example("absence")]}, ["diagnose"])
    assert made == {"diagnose": f"{INSTRUCTIONS['diagnose']} {SENTENCES['absence']}"}
