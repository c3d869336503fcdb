"""Baseline, against a worker that skips its jobs, and under a sandbox that breaks."""

import pytest

from tasks.baseline import baseline, calibration, refuse_underpowered
from tasks.records.errors import Damaged, SandboxTrouble, SandboxUnavailable, Underpowered
from tasks.records.manifest import IndependentEvaluation
from tasks.records.spec import Policy
from tasks.scoring.power import NoiseFloor, noise_floor
from tasks.workspace.grading import Bench
from tests.governance.making import MANIFEST
from tests.worker.forging import forged, saw_nothing


def rejecting(channel, task, job):
    """One attempt that rejects."""
    channel.ask({"op": "turn"})
    answer = channel.ask({"op": "reproduce", "case_id": job["case_id"]})
    if "halt" in answer:
        return channel.ask({"op": "halted", "case_id": job["case_id"], "kind": "sandbox", "detail": "told"})
    (candidate,) = task["candidates"].values()
    return channel.ask(
        {
            "op": "ended",
            "case_id": job["case_id"],
            "proposal": {"rejection": "no cause"},
            "evidence": saw_nothing(task["cases"], job["case_id"], answer),
            "instructions": candidate["instructions"],
            "lm_calls": 0,
        }
    )


def gives_up(task, channel):
    """An attempt given up though nothing broke."""
    channel.ask({"op": "turn"})
    channel.ask({"op": "halted", "case_id": task["jobs"][0]["case_id"], "detail": "too hard"})


def honest(channel):
    task = channel.receive()
    for job in task["jobs"]:
        rejecting(channel, task, job)
    channel.send({"op": "done"})


def test_every_dev_case_has_a_scorecard_in_every_session():
    """Four cases in three sessions, in manifest order; twelve rejections score 0.36 to 0.40 each and show no noise."""
    lab, proven = forged(honest)
    found = baseline(lab, proven)
    order = [(card.session, card.case_id) for card in found.marks.scorecards]
    assert order == [(f"baseline-{n}", case_id) for n in range(3) for case_id in lab.manifest.dev_ids]
    assert {0.36 <= card.total <= 0.40 for card in found.marks.scorecards} == {True}
    assert found.noise_floor == 0.0
    assert found.calibration == calibration(lab.manifest, noise_floor(found.marks.scorecards))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (lambda channel: (channel.receive(), channel.send({"op": "done"})), "expected one of them for each of 6 jobs"),
        (lambda channel: (channel.receive(), channel.ask({"op": "grant"})), "which no broker answers"),
        (lambda channel: (channel.receive(), [channel.ask({"op": "turn"}) for _ in range(13)]), "more turns than it"),
        (lambda channel: gives_up(channel.receive(), channel), "no sandbox broke"),
        (lambda channel: channel.receive(), "the worker ended early"),
    ],
    ids=["skips all", "asks for more", "too many turns", "gives up for nothing", "ends"],
)  # fmt: skip
def test_a_worker_that_does_not_do_its_jobs_is_damage(script, said):
    """A missing attempt is no score and no failure: the stage does not pass."""
    lab, proven = forged(script)
    with pytest.raises(Damaged, match=said):
        baseline(lab, proven)


def test_a_sandbox_that_breaks_is_a_failure_and_stops_the_stage(monkeypatch):
    """The policy allows no failures: the stage stops, resumable, and names the case."""
    lab, proven = forged(honest)
    first = lab.corpus.case(lab.manifest.dev_ids[0])

    def unwell(sandbox):
        raise SandboxUnavailable(f"no namespace in {sandbox.tier}")

    real = Bench.test

    def tested(self, tree, nodes, sealed=None, *, hide_output=False):
        if tree == first.repo and sealed is None:
            raise SandboxTrouble("no namespace")
        return real(self, tree, nodes, sealed, hide_output=hide_output)

    monkeypatch.setattr(Bench, "test", tested)
    monkeypatch.setattr("tasks.trials.grader.probe", unwell)
    with pytest.raises(SandboxTrouble, match="3 baseline attempts failed, the policy allows 0"):
        baseline(lab, proven)


def designed(groups, *, noise=0.0, sessions=3, looks=2, **policy):
    """The calibration of a holdout of single-case groups."""
    ids = tuple(f"h{number}" for number in range(groups))
    manifest = MANIFEST.model_copy(
        update={
            "holdout_ids": ids,
            "case_groups": {name: f"group-{name}" for name in ids},
            "independent_evaluation": IndependentEvaluation(sessions=sessions, order="interleaved", looks=looks),
            "policy": Policy(**policy),
        }
    )
    floor = NoiseFloor(sd=noise, cases=12, sessions=sessions, deterministic=not noise, statement="")
    return calibration(manifest, floor)


@pytest.mark.parametrize(
    "policy", [{"minimum_effect": 0.256}, {"minimum_effect": 0.05, "sought_effect": 0.306}], ids=["told", "above a bar"]
)
def test_as_many_groups_as_are_said_to_be_needed_are_enough(policy):
    """Eight are not, two thirds of the number are not, the number itself is; single cases, so cases are groups."""
    found = designed(8, **policy)
    assert (found.able, found.cases_needed) == (False, found.groups_needed)
    assert not designed(found.groups_needed * 2 // 3, **policy).able
    assert designed(found.groups_needed, **policy).able


def test_noise_between_sessions_only_raises_what_can_be_detected():
    """A quiet A/A comparison lowers nothing below the assumed discordance; a loud one raises, and sessions help."""
    still, loud = designed(24, sought_effect=0.3), designed(24, noise=0.3, sought_effect=0.3)
    assert still.detectable < 0.3 < loud.detectable
    assert (still.able, loud.able) == (True, False)
    assert designed(24, noise=0.3, sessions=loud.sessions_needed, sought_effect=0.3).able
    assert not designed(24, noise=0.3, sessions=loud.sessions_needed - 1, sought_effect=0.3).able


def test_more_sessions_help_nothing_where_there_is_no_noise():
    """Deterministic replies: the same again is no evidence."""
    assert designed(8, sought_effect=0.3).sessions_needed is None


def test_a_design_that_is_not_able_is_refused_with_what_it_would_need():
    """One line, status 6, and nothing where the design is able."""
    with pytest.raises(Underpowered, match="stopped before optimization: the design cannot detect") as refused:
        refuse_underpowered(designed(8, sought_effect=0.3))
    assert refused.value.exit_status == 6
    assert "--anyway goes on" in str(refused.value)
    assert "\n" not in str(refused.value)
    refuse_underpowered(designed(24, sought_effect=0.3))
