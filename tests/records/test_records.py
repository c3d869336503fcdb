"""Records: equal bodies and equal names are the same thing, and types fix what a value means."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tasks.records.attempt import TestReport
from tasks.records.evidence import EvidencePacket, Observation, ToolCall
from tasks.records.fingerprint import Unfit, fingerprint
from tasks.records.manifest import REQUIRED, Manifest
from tasks.records.model import ModelRequest
from tasks.records.scorecard import Component, Failure, Marks, Scorecard
from tasks.records.verdict import Audit, Check

LAW = settings(max_examples=50, deadline=None)
FEW = st.sampled_from(["", "a", "b"])
CALLS = st.builds(ToolCall, tool=FEW, arguments=st.dictionaries(FEW, FEW | st.integers(0, 2), max_size=2))
OBSERVATIONS = st.builds(
    Observation, call=CALLS, output=FEW, truncated=st.booleans(), status=st.sampled_from(["ok", "rejected"])
)
PACKETS = st.builds(EvidencePacket, request=FEW, observations=st.lists(OBSERVATIONS, max_size=2).map(tuple))


def scorecard(total: float, *weights_and_values: tuple[float, float]) -> Scorecard:
    """A card of as many components."""
    components = tuple(
        Component(name=f"c{number}", value=value, weight=weight, reason="")
        for number, (weight, value) in enumerate(weights_and_values)
    )
    return Scorecard(
        case_id="a", group="g", split="dev", session="s0", arm="baseline", metric="m/1", attempt="0",
        components=components, total=total,
    )  # fmt: skip


def report(ended: str = "exit") -> TestReport:
    """One test passed, one was skipped."""
    return TestReport.model_validate(
        {"tree": "t", "outcomes": {"a": "passed", "b": "skipped"}, "ended": ended, "shown": "", "tier": "separate"}
    )


@LAW
@given(PACKETS, PACKETS)
def test_two_records_are_equal_exactly_when_their_names_are(one, other):
    """A name stands for a body, in both directions."""
    assert (one == other) == (one.fingerprint == other.fingerprint)


@LAW
@given(PACKETS)
def test_a_record_reads_back_from_its_own_body(packet):
    """The body holds everything that the record is."""
    assert EvidencePacket.model_validate(packet.body()).fingerprint == packet.fingerprint


def test_a_fingerprint_covers_the_type_of_a_record():
    """Two nouns with the same fields are two facts; the hash is over {record, body}."""
    call = ToolCall(tool="x", arguments={})
    assert call.fingerprint == fingerprint({"record": "ToolCall", "body": {"tool": "x", "arguments": {}}})


def test_a_float_field_takes_one_and_one_point_zero_as_the_same():
    """The type says float, so there is one value and one name."""
    one, other = (Component(name="c", value=value, weight=1, reason="") for value in (1, 1.0))
    assert (one, one.fingerprint) == (other, other.fingerprint)


def test_an_integer_field_takes_one_point_zero_as_one():
    """The type says int, so there is one value and one name."""
    one, other = (ModelRequest(model="m", system="", messages=(), max_tokens=count) for count in (1, 1.0))
    assert (other.max_tokens, other.fingerprint) == (1, one.fingerprint)


def test_an_integer_field_refuses_a_fraction():
    """What the type cannot hold is refused and not rounded."""
    with pytest.raises(ValidationError):
        ModelRequest(model="m", system="", messages=(), max_tokens=1.5)


def test_text_and_number_are_different_values():
    """`"1"` and `1` stay apart where a type allows both."""
    text, number = (ToolCall(tool="t", arguments={"line": value}) for value in ("1", 1))
    assert text.fingerprint != number.fingerprint


@pytest.mark.parametrize("line", [2**53, "\ud800"])
def test_a_record_with_an_unfit_value_has_no_name(line):
    """Nothing is ever stored under a name that another reader could not recompute."""
    with pytest.raises(Unfit):
        _ = ToolCall(tool="t", arguments={"line": line}).fingerprint


def test_a_record_cannot_be_changed():
    """A name that was given stays true."""
    with pytest.raises(ValidationError, match="frozen"):
        Check(name="n", passed=True, detail="").name = "other"


def test_an_unknown_field_is_refused():
    """A misspelled field never vanishes silently."""
    with pytest.raises(ValidationError, match="detial"):
        Check.model_validate({"name": "n", "passed": True, "detail": "", "detial": ""})


def test_a_scorecard_is_the_weighted_sum_of_its_components():
    """0.75 x 1 + 0.25 x 0.2 = 0.8."""
    assert scorecard(0.8, (0.75, 1.0), (0.25, 0.2)).total == 0.8


@pytest.mark.parametrize(("total", "weights"), [(0.9, (0.75, 0.25)), (0.8, (0.75, 0.2))])
def test_a_scorecard_that_does_not_add_up_is_refused(total, weights):
    """Neither the total nor the weights can be claimed."""
    with pytest.raises(ValidationError, match="weigh"):
        scorecard(total, (weights[0], 1.0), (weights[1], 0.2))


def test_marks_of_an_arm_leave_the_other_out():
    """Failures are split along with the scorecards."""
    lost = Failure(case_id="a", group="g", split="dev", session="s0", arm="candidate", kind="sandbox", detail="")
    marks = Marks(scorecards=(scorecard(1.0, (1.0, 1.0)),), failures=(lost,))
    arms = marks.arm("baseline"), marks.arm("candidate")
    assert [(len(arm.scorecards), len(arm.failures)) for arm in arms] == [(1, 0), (0, 1)]


def test_skipped_and_missing_tests_did_not_pass():
    """Only a recorded pass of an expected node counts."""
    assert (report().passed(("a", "b", "c")), report().all_passed(("a",))) == (1, True)


@pytest.mark.parametrize("ended", ["signal", "timeout", "output_limit", "mismatch"])
def test_nothing_passed_in_a_run_that_did_not_end_by_itself(ended):
    """A process that was stopped, or whose account differs from the outside's, proves nothing."""
    assert report(ended).passed(("a",)) == 0


def test_an_audit_with_one_broken_check_is_not_intact():
    """Checks are not averaged."""
    checks = tuple(Check(name=name, passed=name != "b", detail="") for name in "abc")
    assert not Audit(manifest="m", candidate="c", checks=checks).intact


def test_every_manifest_field_is_required():
    """No field of a frozen experiment has a default that somebody could overlook."""
    optional = [name for name, field in Manifest.model_fields.items() if not field.is_required()]
    assert (optional, len(REQUIRED)) == ([], len(Manifest.model_fields))


def test_a_changed_copy_has_a_name_of_its_own():
    """A name that was worked out before the copy was made belongs to the record that it was copied from."""
    check = Check(name="hash", passed=True, detail="")
    known = check.fingerprint
    changed = check.model_copy(update={"passed": False})
    assert changed.fingerprint == Check(name="hash", passed=False, detail="").fingerprint != known
