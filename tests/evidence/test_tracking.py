"""Tracking, against a real MLflow store: what happened can be compared, and nothing is written twice or by accident."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tasks.evidence import orphans
from tasks.evidence.runs import NOTE, PARENT
from tasks.evidence.tracking import Tracker
from tasks.records.candidate import Candidate, Discovery

CANDIDATE = Candidate(program="repair", instructions={"diagnose": "Look first."})
DISCOVERY = Discovery(candidate=CANDIDATE, dev_score=0.5, metric_calls=12, parent="p" * 64)


@pytest.fixture
def started(tracker):
    """A tracker whose experiment is running."""
    tracker.start_experiment({"proveout.manifest": "m" * 64})
    return tracker


def run(tracker, run_id=None):
    """A run as MLflow has it now."""
    return tracker.client.get_run(run_id or tracker.run_id)


def artifact(tracker, path, run_id=None):
    """The text of an artifact."""
    return Path(tracker.client.download_artifacts(run_id or tracker.run_id, path)).read_text(encoding="utf-8")


def children(tracker):
    """Names of the experiment's child runs."""
    found = tracker.client.search_runs([tracker.experiment_id], f"tags.`{PARENT}` = '{tracker.run_id}'")
    return sorted(child.info.run_name for child in found)


def written(tracker, stage, fingerprint="f" * 64, **took):
    """The id of a stage's run, written with nothing of its own in it."""
    with tracker.stage(stage, fingerprint, **took) as run_id:
        return run_id


def reopened(home, request, **tags):
    """Another process's tracker on the same experiment and the same run."""
    again = Tracker.open(home, request.node.name)
    again.start_experiment({}, resume=again.find_run({"proveout.manifest": "m" * 64, **tags}))
    return again


def test_processes_that_open_a_fresh_store_at_once_share_one_experiment(first_opens):
    """Concurrent first use corrupts MLflow's SQLite file for good; ours is made aside, under a lock."""
    _, ids = first_opens
    assert ids == [ids[0]] * 2


def test_artifacts_lie_in_the_state_folder(started, tracked_home):
    """Never in `mlruns` below the working directory, and a space and an umlaut do no harm."""
    started.log_text("text", "note.txt")
    (path,) = tracked_home.artifacts.glob(f"{started.run_id}/artifacts/note.txt")
    assert path.read_text() == "text"


def test_an_experiment_is_a_running_run_that_says_whose_it_is(started):
    """Host, process and start time tell later whether it is still alive."""
    tags = run(started).data.tags
    assert (run(started).info.status, tags["proveout.manifest"]) == ("RUNNING", "m" * 64)
    assert {key: tags[key] for key in orphans.process_tags()} == orphans.process_tags()


def test_a_stage_is_an_ended_child_run(started):
    """It has its seconds and its fingerprint; whose process it is stands on the experiment's run alone."""
    child = run(started, written(started, "baseline", seconds=2.5))
    assert (child.info.run_name, child.info.status, child.data.tags[PARENT]) == ("baseline", "FINISHED", started.run_id)
    assert (child.data.metrics, child.data.tags["fingerprint"]) == ({"seconds": 2.5}, "f" * 64)
    assert not set(orphans.process_tags()) & set(child.data.tags)


def test_a_stage_lasts_as_long_as_its_work(started):
    """From its true start, however late and however slowly it is written down."""
    child = run(started, written(started, "control", started_ms=1_700_000_000_000, seconds=27.125))
    assert (child.info.start_time, child.info.end_time) == (1_700_000_000_000, 1_700_000_027_125)


def test_a_stage_says_its_fingerprint_when_it_is_whole(tracked_home, request, started):
    """While it is written it is RUNNING and says nothing; a reader of a file that fails leaves it without."""
    with started.stage("control", "c" * 64) as run_id:
        during = run(started, run_id)
    with pytest.raises(ValueError, match="unreadable"), started.stage("baseline", "b" * 64):
        raise ValueError("unreadable")
    again = reopened(tracked_home, request)
    assert (during.info.status, "fingerprint" in during.data.tags) == ("RUNNING", False)
    known = [again.has_stage("control", "c" * 64), again.has_stage("control", "x" * 64)]
    assert (known, again.has_stage("baseline", "b" * 64)) == ([True, False], False)


def test_a_stage_that_could_not_be_shown_whole_is_not_known(tracked_home, request, started, monkeypatch):
    """An outage in the middle is mended by whoever comes next."""
    with monkeypatch.context() as patch, started.stage("holdout", "h" * 64) as run_id:
        patch.setattr(started.client, "log_text", lambda *_: 1 / 0)
        started.log_text("text", "note.txt")
        patch.undo()
    assert run(started, run_id).info.status == "FINISHED"
    assert not reopened(tracked_home, request).has_stage("holdout", "h" * 64)


def test_a_candidate_is_a_child_run_with_its_instructions(started):
    """Its score, its cost, its parent and its surface are compared on one page; its text is an artifact."""
    child = run(started, started.candidate_run(1, DISCOVERY, best=True))
    assert child.data.metrics == {"dev/score": 0.5, "dev/metric_calls": 12.0}
    told = {key: child.data.tags[key] for key in ("parent", "surface", "fingerprint", "best")}
    surface, own = CANDIDATE.surface, CANDIDATE.fingerprint
    assert told == {"parent": "p" * 64, "surface": surface, "fingerprint": own, "best": "true"}
    shown = json.loads(artifact(started, "candidate.json", child.info.run_id))
    assert (shown["fingerprint"], shown["body"]) == (CANDIDATE.fingerprint, CANDIDATE.body())


def test_many_scores_have_one_timestamp(started):
    """Over the limit of one call, too: 1000 metrics."""
    started.log_scores({f"baseline/dev/{number}": number / 1200 for number in range(1200)})
    assert len(run(started).data.metrics) == 1200


def test_a_score_that_is_not_finite_is_left_out_and_noted(started):
    """MLflow would store infinity as 1.8e308."""
    started.log_scores({"mde": float("inf"), "mean": float("nan"), "score": 0.5})
    assert run(started).data.metrics == {"score": 0.5}
    assert started.troubles == ["not tracked: no finite value for mde, mean"]


def test_a_name_that_mlflow_refuses_is_spelled_otherwise(started):
    """One odd name does not lose its batch."""
    started.log_scores({"f(x)@1": 0.5, "delta/holdout/score_low": 0.25})
    assert run(started).data.metrics == {"f_x__1": 0.5, "delta/holdout/score_low": 0.25}


def test_a_long_text_becomes_an_artifact_and_is_not_cut(started):
    """MLflow cuts tags at 8000 characters with no more than a warning."""
    started.set_tags({"reason": "because " * 2000})
    assert run(started).data.tags["reason"] == "16000 characters, see artifact texts/tags/reason.txt"
    assert artifact(started, "texts/tags/reason.txt") == "because " * 2000


def test_a_description_is_a_page_and_not_an_artifact(started):
    """MLflow shows 8000 characters of it."""
    started.set_tags({NOTE: "# PROMOTE " + "because " * 900})
    assert len(run(started).data.tags[NOTE]) == 7210
    assert run(started).data.tags[NOTE].startswith("# PROMOTE")


def test_a_frame_logged_twice_is_one_table(started):
    """A resumed run writes the same table and does not append to it."""
    frame = pd.DataFrame({"case": ["a", "b"], "value": [0.5, None]})
    for _ in range(2):
        started.log_frame("tables/scorecards", frame)
    assert json.loads(artifact(started, "tables/scorecards.json")) == {
        "columns": ["case", "value"],
        "data": [["a", 0.5], ["b", None]],
    }
    assert json.loads(run(started).data.tags["mlflow.loggedArtifacts"]) == [
        {"path": "tables/scorecards.json", "type": "table"}
    ]


def test_a_resumed_experiment_writes_the_same_runs(tracked_home, request, started):
    """The same manifest finds its run, and its stages are not doubled."""
    for number in range(2):
        written(started, f"stage {number}")
    started.finish("FAILED")
    again = reopened(tracked_home, request)
    during = run(again).info.status
    for number in (1, 2):
        written(again, f"stage {number}", "n" * 64)
    again.finish()
    assert (again.run_id, during, run(again).info.status) == (started.run_id, "RUNNING", "FINISHED")
    assert children(again) == ["stage 0", "stage 1", "stage 2"]


@pytest.mark.parametrize(("left", "end"), [("FINISHED", "FAILED"), ("KILLED", "FINISHED")])
def test_a_run_to_which_nothing_was_added_ended_when_it_did(tracked_home, request, started, left, end):
    """A finished experiment stays finished, a killed one that turns out to be complete is finished; both then."""
    written(started, "freeze")
    started.finish(left)
    before = run(started).info.end_time
    again = reopened(tracked_home, request)
    again.finish(end)
    assert (run(again).info.status, run(again).info.end_time) == ("FINISHED", before)


def test_a_finished_run_to_which_something_is_added_runs_until_it_is_there(tracked_home, request, started):
    """Its end moves with what was added."""
    started.finish()
    before = run(started).info.end_time
    again = reopened(tracked_home, request)
    with again.stage("holdout", "h" * 64):
        during = run(again).info.status
    again.finish()
    assert (during, run(again).info.status, run(again).info.end_time > before) == ("RUNNING", "FINISHED", True)


def test_a_run_of_other_tags_is_not_found(started):
    """Only all of the tags name a run."""
    assert started.find_run({"proveout.manifest": "other"}) is None


def test_the_holdout_is_an_input_without_a_word_of_it(started, manifest):
    """Counts and hashes of ids; train and dev are named by id."""
    started.log_inputs(manifest)
    inputs = {found.dataset.name: found for found in run(started).inputs.dataset_inputs}
    profiles = {name: json.loads(found.dataset.profile) for name, found in inputs.items()}
    assert (profiles["train"]["cases"], profiles["dev"]["cases"]) == (["case-train"], ["case-dev"])
    assert (profiles["holdout"]["num_rows"], len(profiles["holdout"]["cases"][0])) == (1, 64)
    assert "case-holdout" not in repr([vars(found.dataset) for found in inputs.values()])


def test_an_input_carries_its_whole_hash(started, manifest):
    """MLflow's digest ends at 36 characters; the tag does not."""
    started.log_inputs(manifest)
    for found in run(started).inputs.dataset_inputs:
        tags = {tag.key: tag.value for tag in found.tags}
        assert tags["mlflow.data.context"] == found.dataset.name
        assert (len(tags["proveout.sha256"]), found.dataset.digest) == (64, tags["proveout.sha256"][:36])


def test_a_report_is_an_artifact_and_a_param_is_a_param(started, tmp_path):
    """Files that exist are copied; the same param again is fine."""
    (tmp_path / "report.html").write_text("<p>report</p>")
    started.log_file(tmp_path / "report.html", "reports")
    for _ in range(2):
        started.log_params({"seed": 0})
    assert (artifact(started, "reports/report.html"), run(started).data.params) == ("<p>report</p>", {"seed": "0"})
    assert started.troubles == []


def test_a_flow_run_is_linked(started):
    """From MLflow's page to Prefect's."""
    started.link_flow("flow-id", "http://127.0.0.1:4200/runs/flow-run/flow-id")
    tags = run(started).data.tags
    assert (tags["prefect.flow_run_id"], tags["prefect.flow_run_url"].endswith("flow-id")) == ("flow-id", True)


def test_the_newest_and_the_first_flow_run_are_told(tracked_home, request, started):
    """An address stays only while it is the newest one's."""
    started.link_flow("one", "http://prefect.example/runs/flow-run/one")
    for flow in ("two", "three"):
        again = reopened(tracked_home, request)
        again.link_flow(flow)
    tags = {key: value for key, value in run(again).data.tags.items() if key.startswith("prefect.")}
    assert tags == {"prefect.flow_run_id": "three", "prefect.first_flow_run_id": "one"}
    assert again.troubles == []


def test_the_run_of_a_dead_process_is_ended_and_a_living_one_is_not(started):
    """Killed runs do not stay RUNNING for ever."""
    dead = started.client.create_run(started.experiment_id, tags=tags_of_a_dead_process()).info.run_id
    assert started.crash_orphans() == [dead]
    assert (run(started, dead).info.status, run(started).info.status) == ("KILLED", "RUNNING")


def test_children_go_with_the_run_that_they_belong_to(started):
    """One of a dead process, one of a run that has ended; not one that is being written."""
    client, experiment = started.client, started.experiment_id
    dead = client.create_run(experiment, tags=tags_of_a_dead_process()).info.run_id
    ended = client.create_run(experiment).info.run_id
    client.set_terminated(ended, "FINISHED")
    left = [client.create_run(experiment, tags={PARENT: parent}).info.run_id for parent in (dead, ended)]
    with started.stage("audit", "a" * 64) as alive:
        assert sorted(started.crash_orphans()) == sorted([dead, *left])
        assert run(started, alive).info.status == "RUNNING"


@pytest.mark.parametrize("change", [{orphans.HOST: "another-host"}, {orphans.PID: "x"}, {orphans.STARTED: ""}])
def test_what_is_not_surely_ours_is_left_alone(change):
    """Another host's process cannot be seen from here, and a tag in disorder proves nothing."""
    assert not orphans.is_dead({**tags_of_a_dead_process(), **change})


def test_a_process_id_that_was_given_away_does_not_count_as_alive():
    """The same id with another start time is another process."""
    own = orphans.process_tags()
    boot, ticks = own[orphans.STARTED].split("/")
    earlier = {**own, orphans.STARTED: f"{boot}/{int(ticks) - 6000}"}
    assert (orphans.is_dead(own), orphans.is_dead(earlier)) == (False, True)


def tags_of_a_dead_process():
    """What a process that is gone had said of itself."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        boot = orphans.process_tags()[orphans.STARTED].partition("/")[0]
        ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    return {**orphans.process_tags(), orphans.PID: str(process.pid), orphans.STARTED: f"{boot}/{ticks}"}
