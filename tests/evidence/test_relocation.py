"""Relocation: a copied or moved state folder writes its artifacts into itself."""

import shutil
import sqlite3

import pytest
from mlflow.tracking._tracking_service.utils import _artifact_repos_cache as places_by_run

from tasks.evidence.home import Home
from tasks.evidence.relocation import relocate
from tasks.evidence.tracking import Tracker

TAGS = {"proveout.manifest": "m" * 64}


@pytest.fixture
def original(tracked_home, tmp_path):
    """A finished run with one artifact, in a state folder of its own."""
    home = Home.open(tmp_path / "first höme")
    shutil.copy(tracked_home.mlflow_db, home.mlflow_db)
    forget(home)
    tracker = Tracker.open(home, "moved")
    tracker.start_experiment(TAGS)
    tracker.log_text("old", "note.txt")
    tracker.finish()
    return home


def forget(home):
    """Make the file as if it had been made in this folder, and empty."""
    with sqlite3.connect(home.mlflow_db) as database:
        database.executescript("DELETE FROM tags; DELETE FROM experiments WHERE experiment_id > 0;")
        database.execute("UPDATE experiments SET artifact_location = ?", (f"{home.artifacts.as_uri()}/0",))


def places(home):
    """Every place that the file names."""
    with sqlite3.connect(home.mlflow_db) as database:
        rows = database.execute(
            "SELECT artifact_location FROM experiments UNION ALL SELECT r.artifact_uri FROM runs r"
            " JOIN experiments e ON e.experiment_id = r.experiment_id WHERE e.name = 'moved'"
        )
        return [place for (place,) in rows]


def resumed(home):
    """The same run, gone on with in this folder by another process, which has none of MLflow's memory of places."""
    places_by_run.clear()
    tracker = Tracker.open(home, "moved")
    tracker.start_experiment({}, resume=tracker.find_run(TAGS))
    tracker.log_text("new", "more.txt")
    return tracker


def test_a_copied_folder_writes_into_itself_and_leaves_the_other_alone(original, tmp_path):
    """What was copied is read from the copy, and what comes after the copying lies there alone."""
    copy = tmp_path / "second home"
    shutil.copytree(original.root, copy)
    before = original.mlflow_db.read_bytes()
    tracker = resumed(Home.open(copy))
    found = {path.name for path in copy.glob(f"artifacts/{tracker.run_id}/artifacts/*.txt")}
    assert found == {"note.txt", "more.txt"}
    assert [path.name for path in original.artifacts.glob("**/*.txt")] == ["note.txt"]
    assert (original.mlflow_db.read_bytes() == before, tracker.troubles) == (True, [])


def test_a_moved_folder_makes_no_folder_where_it_was(original, tmp_path):
    """Every place in the file is below the new folder, a space and an umlaut or not."""
    moved = Home(tmp_path / "elsewhere" / "hömé")
    moved.root.parent.mkdir()
    original.root.rename(moved.root)
    resumed(moved)
    assert [place for place in places(moved) if not place.startswith(moved.artifacts.as_uri())] == []
    assert not original.root.exists()


def test_a_run_whose_artifacts_stayed_behind_goes_on_pointing_to_them(original, home):
    """Only the file was copied: the old artifacts can still be read, new experiments write here."""
    shutil.copy(original.mlflow_db, home.mlflow_db)
    relocate(home.mlflow_db, home.artifacts)
    *experiments, run = places(home)
    assert [place for place in experiments if not place.startswith(home.artifacts.as_uri())] == []
    assert run.startswith(original.artifacts.as_uri())


def test_a_place_that_somebody_chose_stays(original, tmp_path):
    """A bucket, or a folder that only begins with the same letters, is nobody's old home."""
    chosen = ["s3://bucket/artifacts", f"{original.artifacts.as_uri()}-of-mine/1"]
    with sqlite3.connect(original.mlflow_db) as database:
        for number, place in enumerate(chosen):
            database.execute(
                "INSERT INTO experiments (experiment_id, name, artifact_location, lifecycle_stage, workspace)"
                " VALUES (?, ?, ?, 'active', 'default')",
                (900 + number, f"chosen-{number}", place),
            )
    relocate(original.mlflow_db, tmp_path / "other" / "artifacts")
    assert set(chosen) <= set(places(original))


def test_a_file_that_somebody_else_made_is_left_alone(original, tmp_path):
    """Its first experiment is not one of ours, so nothing says what its places mean."""
    with sqlite3.connect(original.mlflow_db) as database:
        database.execute("UPDATE experiments SET artifact_location = '/srv/mlruns/0' WHERE experiment_id = 0")
    before = places(original)
    relocate(original.mlflow_db, tmp_path / "other" / "artifacts")
    assert places(original) == before
