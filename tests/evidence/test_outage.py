"""Outages: trouble with tracking is one line at the start or a note afterwards, and never a score."""

import pytest

from tasks.evidence.tracking import Tracker
from tasks.evidence.troubles import PATIENCE, Troubles
from tasks.records.candidate import Candidate
from tasks.records.errors import Stopped


class Down:
    """A client whose every method fails."""

    calls = 0

    def __getattr__(self, name):
        def fail(*arguments, **named):
            self.calls += 1
            raise ConnectionError("no\nanswer from http://user:secret@host/")

        return fail


def use(tracker, manifest):
    """Everything that an experiment tracks."""
    tracker.start_experiment({"a": "b"})
    with tracker.stage("baseline", "f" * 64) as run_id:
        tracker.log_text("attempts", "attempts.jsonl", run_id=run_id)
    tracker.log_scores({"score": 1.0})
    tracker.log_record(Candidate(program="p", instructions={}), "candidate.json")
    tracker.log_inputs(manifest)
    tracker.link_flow("id")
    tracker.finish()


def test_a_store_that_was_never_there_loses_nothing_but_tracking(manifest):
    """No run id, no exception; the one line says what is missing."""
    tracker = Tracker(Down(), "0")
    use(tracker, manifest)
    assert (tracker.run_id, tracker.crash_orphans(), tracker.find_run({})) == (None, [], None)
    assert tracker.troubles[0] == ("not tracked: start of the experiment: ConnectionError: no answer from http://host/")


def test_a_store_that_breaks_in_the_middle_loses_nothing_but_tracking(breakable_tracker, manifest):
    """A real SQLite file, overwritten while an experiment runs."""
    tracker, database = breakable_tracker
    run_id = tracker.start_experiment({})
    database.write_bytes(b"no database" * 1000)
    use(tracker, manifest)
    with tracker.stage("audit", "a" * 64) as child:
        assert (len(run_id), child) == (32, "")
    assert all(line.startswith("not tracked: ") and "\n" not in line for line in tracker.troubles)


def test_a_dead_server_is_not_asked_again_at_once():
    """Each call would cost its whole patience; the lines go on saying what is missing."""
    tracker = Tracker(Down(), "0")
    for _ in range(10):
        tracker.find_run({})
    assert (tracker.client.calls, len(tracker.troubles)) == (PATIENCE, 10)


def test_a_server_is_asked_again_after_a_pause(monkeypatch):
    """An outage that passes is not the end of tracking."""
    now = [0.0]
    monkeypatch.setattr("tasks.evidence.troubles.time.monotonic", lambda: now[0])
    troubles = Troubles()
    for _ in range(PATIENCE):
        troubles.attempt("work", lambda: 1 / 0)
    during = troubles.attempt("work", lambda: "done")
    now[0] = 61.0
    assert (during, troubles.attempt("work", lambda: "done")) == (None, "done")


def test_two_services_share_one_list_and_not_one_patience():
    """Prefect's silence is no reason to stop asking MLflow."""
    lines = []
    prefect, mlflow = Troubles("Prefect", lines), Troubles("MLflow", lines)
    for _ in range(PATIENCE + 1):
        prefect.attempt("table", lambda: 1 / 0)
    assert (mlflow.attempt("work", lambda: "done"), prefect.failures, mlflow.failures) == ("done", PATIENCE + 1, 0)
    assert lines[-1] == f"not tracked: table: Prefect failed {PATIENCE} times in a row, asking again later"


def test_an_interrupt_passes():
    """Ctrl-C is no outage."""

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Troubles().attempt("work", interrupt)


def test_a_server_that_does_not_answer_stops_the_start_in_one_line(home, monkeypatch):
    """The line names the address without its password, and the remedy."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://user:secret@127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(Stopped, match=r"^MLflow at 'http://127.0.0.1:9' .*unset MLFLOW_TRACKING_URI.*$") as caught:
        Tracker.open(home, "x")
    assert "secret" not in str(caught.value)


def test_a_damaged_store_stops_the_start_in_one_line(home):
    """The line names the file and the remedy."""
    home.mlflow_db.write_bytes(b"no database" * 1000)
    with pytest.raises(Stopped, match=r"^MLflow at 'sqlite:.*mlflow.db' cannot be used: .*move it away.*$"):
        Tracker.open(home, "x")


def test_a_store_that_cannot_be_opened_stops_the_start_at_once(home):
    """MLflow alone would try ten times, waiting twice as long each time."""
    home.mlflow_db.mkdir()
    with pytest.raises(Stopped, match=r"^MLflow at 'sqlite:.*mlflow.db' cannot be used: .*unable to open.*$"):
        Tracker.open(home, "x")


def test_a_deleted_experiment_stops_the_start_in_one_line(breakable_tracker, home):
    """MLflow keeps its name, so it must be restored and cannot be made again."""
    tracker, _ = breakable_tracker
    tracker.client.delete_experiment(tracker.experiment_id)
    with pytest.raises(Stopped, match=r"^experiment 'breakable' is deleted; `mlflow experiments restore"):
        Tracker.open(home, "breakable")


def test_the_environment_chooses_the_store(tracked_home, home, monkeypatch):
    """MLFLOW_TRACKING_URI beats the state folder's own file."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tracked_home.mlflow_db}")
    assert Tracker.open(home, "elsewhere").client.tracking_uri == f"sqlite:///{tracked_home.mlflow_db}"
    assert not home.mlflow_db.exists()
