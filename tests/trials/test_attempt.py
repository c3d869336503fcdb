"""Process measures and failure loci are read off what happened, by hand-made evidence."""

import pytest

from tasks.records.attempt import Proposal, TestReport, Validation
from tasks.records.evidence import EvidencePacket, Observation, ToolCall
from tasks.trials.attempt import locus_of, process_of

REPORT = TestReport(tree="t", outcomes={"n": "passed"}, ended="exit", shown="", tier="bubblewrap")


def seen(tool, status="ok", **arguments):
    return Observation(call=ToolCall(tool=tool, arguments=arguments), output="", truncated=False, status=status)


def packet(*observations):
    return EvidencePacket(request="r", observations=observations)


def validated(*, passed=False, in_scope=True):
    return Validation(
        applied=in_scope, in_scope=in_scope, parses=True, refusals=(), tree="t", report=REPORT, passed=passed
    )


def test_repeats_rejections_and_unread_suspects_are_counted():
    """Three calls, one of them a repeat and one rejected; of two suspected files one was read."""
    evidence = packet(
        seen("read_file", path="a.py"),
        seen("read_file", path="a.py"),
        seen("read_file", "rejected", path="/etc/passwd"),
    )
    process = process_of(Proposal(suspected_files=("a.py", "b.py")), evidence, tool_calls=6, solved=False)
    assert process.body() == {
        "repeated_calls": 1,
        "rejected_calls": 1,
        "unread_suspected_files": 1,
        "stopped_early": True,
    }


def test_a_solved_attempt_did_not_stop_early():
    """Few calls are a fault only when the attempt did not succeed."""
    assert process_of(Proposal(), packet(), tool_calls=6, solved=True).stopped_early is False


@pytest.mark.parametrize(
    ("proposal", "observations", "validations", "calls_left", "locus"),
    [
        (Proposal(), (), (validated(passed=True),), 3, "none"),
        (Proposal(), (), (validated(in_scope=False),), 3, "safety"),
        (Proposal(), (), (validated(),), 3, "validation"),
        (Proposal(suspected_files=("b.py",)), (seen("read_file", "rejected", path="b.py"),), (), 3, "access"),
        (Proposal(suspected_files=("b.py",)), (), (), 3, "retrieval"),
        (Proposal(missing_evidence="the caller"), (), (), 0, "budget"),
        (Proposal(rejection="no cause"), (), (), 3, "reasoning"),
    ],
)
def test_the_first_boundary_that_was_not_passed_names_the_locus(proposal, observations, validations, calls_left, locus):
    """A passed validation is no failure; before it come safety, validation, access, retrieval, budget and reasoning."""
    process = process_of(proposal, packet(*observations), tool_calls=6, solved=False)
    assert locus_of(proposal, process, validations, calls_left) == locus
