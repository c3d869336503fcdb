"""Replay: a packet that was altered, cut, extended, reordered or bound to another request is damage."""

from itertools import permutations

import pytest

from tasks.program.rendering import evidence_text
from tasks.records.attempt import TestReport
from tasks.records.errors import Damaged
from tasks.records.evidence import EvidencePacket, ToolCall, request_of
from tasks.trials.replay import refuse_forged
from tasks.worker.tools import SnapshotTools
from tests.small import small_corpus

CASE = small_corpus().case("bakery-till")
REPORT = TestReport(tree="t", outcomes={"n": "failed"}, ended="exit", shown="E   assert 1 == 2", tier="bubblewrap")
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
