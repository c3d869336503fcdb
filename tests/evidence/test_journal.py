"""The journal: one entry a run, told apart from those whose process is gone; one process an experiment."""

import subprocess
import sys

import pytest

from tasks.evidence.home import Home
from tasks.evidence.journal import Journal
from tasks.records.errors import Refusal, Stopped


@pytest.fixture
def home(tmp_path):
    return Home.open(tmp_path / "home")


def begun_elsewhere(home, run_id):
    """A run that another process began and did not end."""
    program = (
        "import sys; from tasks.evidence.home import Home; from tasks.evidence.journal import Journal;"
        "Journal(Home.open(sys.argv[1])).begin(sys.argv[2], 'pilot', 'pilot.toml')"
    )
    subprocess.run([sys.executable, "-c", program, str(home.root), run_id], check=True)


def test_a_run_whose_process_is_gone_has_crashed(home):
    """An entry that says running counts as crashed once nobody is left to end it; our own does not."""
    journal = Journal(home)
    begun_elsewhere(home, "aaaa")
    journal.begin("bbbb", "pilot", "pilot.toml")
    assert [entry.run_id for entry in journal.crashed()] == ["aaaa"]


def test_the_newest_run_comes_first_whatever_the_clock_says(home, monkeypatch):
    """A clock that was set back by a year does not reorder runs."""
    journal = Journal(home)
    journal.begin("first", "pilot", "pilot.toml")
    monkeypatch.setattr("tasks.evidence.journal._now", lambda: "2001-01-01T00:00:00+00:00")
    journal.begin("second", "pilot", "pilot.toml")
    assert [entry.run_id for entry in journal.entries()] == ["second", "first"]


def test_a_run_is_found_by_the_beginning_of_what_names_it(home):
    """By id or by fingerprint; the newest when nothing is named; an unknown one is refused with what there is."""
    journal = Journal(home)
    entry = journal.begin("11aa", "pilot", "pilot.toml")
    journal.end(entry, "finished", manifest="ff00", outcome={"fingerprints": {"decision": "dd00"}})
    journal.begin("22bb", "pilot", "pilot.toml")
    assert [journal.find(name).run_id for name in ("11", "ff", "dd", "")] == ["11aa", "11aa", "11aa", "22bb"]
    with pytest.raises(Refusal, match="no run 'x'; the newest runs are: 22bb, 11aa"):
        journal.find("x")


def test_a_damaged_entry_hides_no_other(home):
    """Half a file is passed over."""
    journal = Journal(home)
    journal.begin("whole", "pilot", "pilot.toml")
    (home.root / "runs" / "half.json").write_text('{"run_id": "ha')
    assert [entry.run_id for entry in journal.entries()] == ["whole"]


def test_two_runs_of_one_experiment_at_once_are_one_too_many(home):
    """The second is stopped in one line that names the process of the first; another experiment goes on."""
    journal = Journal(home)
    with journal.alone("m1"):
        with pytest.raises(Stopped, match="is being run by process"), journal.alone("m1"):
            pass
        with journal.alone("m2"):
            pass
    with journal.alone("m1"):
        pass


def test_a_killed_process_holds_nothing(home):
    """The kernel lets go of a lock whose holder is gone."""
    program = (
        "import os, sys; from tasks.evidence.home import Home; from tasks.evidence.journal import Journal;"
        "lock = Journal(Home.open(sys.argv[1])).alone('m1'); lock.__enter__(); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(home.root)], check=False)
    assert done.returncode == -9
    with Journal(home).alone("m1"):
        pass
