"""Baseline, against a worker that skips its jobs, and under a sandbox that breaks."""

import pytest

from tasks.baseline import baseline
from tasks.records.errors import Damaged, SandboxTrouble, SandboxUnavailable
from tasks.workspace.grading import Bench
from tests.worker.forging import forged


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
            "evidence": {"request": "r", "observations": []},
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


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (lambda channel: (channel.receive(), channel.send({"op": "done"})), "expected one of them for each of 12 jobs"),
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
