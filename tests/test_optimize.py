"""Optimize, against a worker that lies about its search: what the parent did not grade itself, it does not believe."""

import pytest

from tasks.optimize import best_of, optimize
from tasks.records.candidate import Candidate, Discovery, Search
from tasks.records.errors import Damaged
from tasks.records.scorecard import Marks
from tasks.records.stages import Baseline
from tasks.worker.wire import WireError
from tests.governance.making import CALIBRATION
from tests.worker.forging import forged, saw_nothing


def before_of(proven):
    return Baseline(
        manifest=proven.manifest,
        proven=proven.fingerprint,
        candidate="",
        marks=Marks(scorecards=()),
        attempts=(),
        noise_floor=0.0,
        noise_statement="",
        minimum_detectable_effect=1.0,
        calibration=CALIBRATION,
    )


def attempted(channel, case, seed, **changes):
    """One honest attempt that rejects, with one forged field or another."""
    answer = channel.ask({"op": "reproduce", "case_id": case["case_id"]})
    frame = {
        "op": "ended",
        "case_id": case["case_id"],
        "proposal": {"rejection": "no cause"},
        "evidence": saw_nothing([case], case["case_id"], answer),
        "instructions": seed["instructions"],
        "lm_calls": 0,
    }
    return channel.ask(frame | changes)


def search_of(task, scores, calls, **changes):
    seed = Candidate.model_validate(task["seed_candidate"])
    better = seed.model_copy(update={"instructions": {**seed.instructions, "patch": "Do better."}, **changes})
    found = [Discovery(candidate=seed, dev_score=scores[0], metric_calls=0, parent=None)]
    if len(scores) > 1:
        found.append(Discovery(candidate=better, dev_score=scores[1], metric_calls=2, parent=seed.fingerprint))
    return Search(optimizer="gepa", discoveries=tuple(found), proposals=1, metric_calls=calls, best=0).body()


def planted(task):
    """The seed's instructions with a demonstration that nobody graded."""
    return {"instructions": task["seed_candidate"]["instructions"], "demos": {"patch": ({"issue": "x"},)}}


def graded_seed(channel, task):
    """Have the seed graded on every dev case, as an honest worker does; the mean score."""
    scores = [attempted(channel, case, task["seed_candidate"])["score"] for case in task["dev"]]
    return sum(scores) / len(scores)


def searching(search):
    """A worker that has the seed graded and then tells of a search of its own making."""

    def script(channel):
        task = channel.receive()
        mean = graded_seed(channel, task)
        channel.send({"op": "done", "search": search(task, mean), "log": ""})

    return script


def test_an_honest_account_is_believed():
    """The seed graded on both dev cases and nothing found: no candidate."""
    lab, proven = forged(searching(lambda task, mean: search_of(task, [mean], 2)))
    optimized = optimize(lab, before_of(proven))
    assert (optimized.candidate, len(optimized.attempts)) == (None, 2)


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (lambda task, mean: search_of(task, [mean, 1.0], 2), "candidate 1 was not graded on every dev case"),
        (lambda task, mean: search_of(task, [mean + 0.1], 2), "candidate 0 claims a dev score of"),
        (lambda task, mean: search_of(task, [mean], 400), "it counts 400 metric calls, 2 attempts were graded"),
        (
            lambda task, mean: search_of(task, [mean, mean], 2, **planted(task)),
            "candidate 1 was not graded",
        ),
        (lambda *_: {"optimizer": "gepa"}, "a frame that is none|Field required"),
    ],
    ids=["never graded", "inflated", "more calls", "planted demo", "no search"],
)  # fmt: skip
def test_an_account_that_was_not_graded_here_is_damage(search, said):
    """A candidate, a score, a count or a demonstration of the worker's own making does not become a candidate."""
    lab, proven = forged(searching(search))
    with pytest.raises((Damaged, ValueError), match=said):
        optimize(lab, before_of(proven))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"case_id": "bottling-line"}, "the attempt going on is"),
        ({"case_id": "invoice-quantity"}, "which this stage did not hand out"),
        ({"proposal": {"edits": [{"path": "a.py", "search": "x", "replace": "y"}]}}, "were not validated last"),
        ({"lm_calls": "many"}, "a frame that is none"),
        ({"proposal": {"verdict": "PROMOTE"}}, "a frame that is none"),
    ],
    ids=["another case", "a holdout case", "unvalidated edits", "no number", "no proposal"],
)
def test_an_attempt_that_breaks_the_order_is_damage(changes, said):
    """The parent's own record of an attempt decides what may end it."""

    def script(channel):
        task = channel.receive()
        attempted(channel, task["train"][0], task["seed_candidate"], **changes)

    lab, proven = forged(script)
    with pytest.raises(Damaged, match=said):
        optimize(lab, before_of(proven))


def test_a_search_cannot_ask_for_more_grades_than_its_budget():
    """Grades of sealed tests carry bits out of them; their number is bounded by the declared budget."""
    asked = []

    def script(channel):
        task = channel.receive()
        while True:
            asked.append(attempted(channel, task["train"][0], task["seed_candidate"])["score"])

    options = {"max_metric_calls": 14, "minibatch": 3}
    lab, proven = forged(script)
    lab.manifest = lab.manifest.model_copy(
        update={"optimizer_config": lab.manifest.optimizer_config.model_copy(update=options)}
    )
    with pytest.raises(Damaged, match="asks for more than its budget"):
        optimize(lab, before_of(proven))
    assert len(asked) == 14 + 2 * 3 + 2


def test_the_score_level_tells_a_search_nothing_but_the_score():
    """What the spec withholds from reflection does not cross the wire by another field."""
    heard = []

    def script(channel):
        task = channel.receive()
        heard.append(attempted(channel, task["train"][0], task["seed_candidate"]))
        raise WireError("enough")

    lab, proven = forged(script)
    options = lab.manifest.optimizer_config.model_copy(update={"feedback": "score"})
    lab.manifest = lab.manifest.model_copy(update={"optimizer_config": options})
    with pytest.raises(Damaged):
        optimize(lab, before_of(proven))
    assert (heard[0]["components"], "independent" in heard[0]["feedback"]) == ({}, False)


def test_the_best_candidate_is_the_earliest_of_equals_that_beats_the_seed():
    """Scores .5 .7 .7 .6: the second; scores .5 .5: none."""
    seed = Candidate(program="repair", instructions={"patch": "seed"})

    def search(*scores):
        found = tuple(
            Discovery(
                candidate=seed.model_copy(update={"instructions": {"patch": str(number)}}),
                dev_score=score,
                metric_calls=0,
                parent=None,
            )
            for number, score in enumerate(scores)
        )
        return Search(optimizer="gepa", discoveries=found, proposals=1, metric_calls=1, best=0)

    assert best_of(search(0.5, 0.7, 0.7, 0.6)).instructions == {"patch": "1"}
    assert best_of(search(0.5, 0.5)) is None
