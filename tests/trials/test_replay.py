"""Replay: a packet that was altered, cut, extended, reordered or bound to another request is damage."""

from itertools import permutations

import dspy
import pytest

from tasks.lm.offline.rules import RulesEngine
from tasks.program.build import build
from tasks.program.rendering import evidence_text
from tasks.program.surface import seed_candidate
from tasks.records.attempt import TestReport, Validation
from tasks.records.errors import Damaged
from tasks.records.evidence import EvidencePacket, ToolCall, request_of
from tasks.records.model import Asker
from tasks.trials.replay import refuse_forged
from tasks.worker.clients import BrokerEngine
from tasks.worker.tools import SnapshotTools
from tests.small import small_corpus

CASE = small_corpus().case("bakery-till")
SHOWN = "FAILED tests/test_receipt.py::test_it\ntests/test_receipt.py:5: in test_it\nE   assert 1 == 2"
REPORT = TestReport(tree="t", outcomes={"n": "failed"}, ended="exit", shown=SHOWN, tier="bubblewrap")
TOOLS = SnapshotTools(CASE.repo)
PATHS = [file.path for file in CASE.repo.files][:2]
SEEN = (
    *(TOOLS.call(ToolCall(tool="read_file", arguments={"path": path})) for path in PATHS),
    TOOLS.call(ToolCall(tool="search_repository", arguments={"query": "def "})),
    TOOLS.call(ToolCall(tool="read_file", arguments={"path": "../x"})),
)
REQUEST = request_of(CASE.issue, CASE.constraints, REPORT.body())


def asked(field, observations):
    """A user message in the form of DSPy's ChatAdapter."""
    text = evidence_text(REPORT, observations)
    return f"[[ ## issue ## ]]\nIt breaks.\n\n[[ ## {field} ## ]]\n{text}\n\n[[ ## constraints ## ]]\nNone."


MESSAGES = [*(asked("evidence_so_far", SEEN[:n]) for n in range(4)), asked("repository_evidence", SEEN), "interpret"]


def checked(observations=SEEN, request=REQUEST, tool_calls=6, messages=MESSAGES):
    refuse_forged(EvidencePacket(request=request, observations=observations), CASE, REPORT, tool_calls, messages)


def test_what_was_seen_and_shown_is_believed():
    """Four observations, one of them rejected; and none at all where nothing was asked."""
    checked()
    checked(observations=(), messages=[])


@pytest.mark.parametrize("number", range(4))
def test_a_dropped_observation_is_damage(number):
    """Each of the rest is true; the request carried one more."""
    with pytest.raises(Damaged, match="not what its last request carried"):
        checked(observations=SEEN[:number] + SEEN[number + 1 :])


@pytest.mark.parametrize("order", list(permutations(range(4)))[1:])
def test_a_reordered_packet_is_damage(order):
    """In any other order than the one that a model saw."""
    with pytest.raises(Damaged, match="not what its last request carried"):
        checked(observations=tuple(SEEN[number] for number in order))


def test_an_added_observation_is_damage():
    """Even a true one, if no model saw it."""
    with pytest.raises(Damaged, match="not what its last request carried"):
        checked(observations=(*SEEN, SEEN[0]))
    with pytest.raises(Damaged, match="not what its last request carried"):
        checked(messages=[])


@pytest.mark.parametrize(
    "change", [{"output": "1: x"}, {"truncated": True}, {"status": "rejected", "output": "x" * 301}]
)
def test_an_altered_observation_is_damage(change):
    """The tools are asked again: another text, another flag, or evidence under the name of a rejection."""
    altered = (SEEN[0].model_copy(update=change), *SEEN[1:])
    with pytest.raises(Damaged, match="observation 1 of case 'bakery-till' is not what 'read_file' says"):
        checked(observations=altered, messages=[asked("repository_evidence", altered)])


def test_another_request_and_more_calls_than_allowed_are_damage():
    """The packet is bound to the issue, the constraints and the failure that was shown."""
    with pytest.raises(Damaged, match="bound to another request"):
        checked(request=request_of(CASE.issue + "!", CASE.constraints, REPORT.body()))
    with pytest.raises(Damaged, match="shows 4 observations of case 'bakery-till', the manifest allows 3"):
        checked(tool_calls=3)


class Bench:
    """A workshop with the case's own tools, a failure that is written here, and validations that fail."""

    case_id, tools = CASE.case_id, TOOLS

    def reproduce(self):
        return REPORT

    def validate(self, edits):
        return Validation(
            applied=True, in_scope=True, parses=True, refusals=(), tree="t", report=REPORT, passed=False
        )  # fmt: skip


class Spoken:
    """A model broker that writes down what it is asked; every first diagnosis is spoilt, so that DSPy asks for JSON."""

    def __init__(self, *, spoilt):
        self.messages, self.spoilt = [], spoilt

    def complete(self, request):
        self.messages.append(request.messages[-1].content)
        reply = RulesEngine(seed=0, miss_rate=0.0).complete(request, Asker(session="s", attempt="a"), 0)
        if self.spoilt and request.response_format == "text" and "## confidence" in reply.text:
            return reply.model_copy(update={"text": "I would rather not say."})
        return reply


@pytest.mark.parametrize("spoilt", [False, True], ids=["sections", "JSON"])
def test_what_dspy_sends_is_what_is_looked_for(spoilt):
    """A real program, its real messages: the packet of an honest worker is believed, one observation less is not."""
    spoken = Spoken(spoilt=spoilt)
    lm = dspy.LM("offline/rules", engine=BrokerEngine(spoken), cache=False, num_retries=0)
    with dspy.context(lm=lm, adapter=dspy.ChatAdapter(), disable_history=True):
        program = build(seed_candidate("repair"), {"tool_calls": 6, "repair_revisions": 1})
        told = program(issue=CASE.issue, constraints=CASE.constraints, workshop=Bench())
    packet = EvidencePacket.model_validate(told.evidence)
    assert len(packet.observations) >= 1
    refuse_forged(packet, CASE, REPORT, 6, spoken.messages)
    with pytest.raises(Damaged, match="not what its last request carried"):
        checked(observations=packet.observations[:-1], messages=spoken.messages)


def test_every_change_of_a_packet_changes_its_fingerprint():
    """Altered, dropped, reordered, another request: five names."""
    packets = [
        EvidencePacket(request=REQUEST, observations=SEEN),
        EvidencePacket(request="r", observations=SEEN),
        EvidencePacket(request=REQUEST, observations=SEEN[:-1]),
        EvidencePacket(request=REQUEST, observations=SEEN[::-1]),
        EvidencePacket(request=REQUEST, observations=(SEEN[0].model_copy(update={"output": ""}), *SEEN[1:])),
    ]
    assert len({packet.fingerprint for packet in packets}) == 5
