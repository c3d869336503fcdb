"""The state folder: where it lies, who can see it, and one line when it cannot be had."""

import stat

import pytest

from tasks.evidence.home import FOLDERS, Home, sqlite_uri
from tasks.records.errors import Refusal


def test_the_state_folder_lies_in_the_working_directory(tmp_path, monkeypatch):
    """Without a word from anybody it is `.proveout`."""
    monkeypatch.chdir(tmp_path)
    assert Home.open().root == tmp_path / ".proveout"


def test_the_environment_names_the_state_folder(tmp_path, monkeypatch):
    """PROVEOUT_HOME beats the working directory."""
    monkeypatch.setenv("PROVEOUT_HOME", str(tmp_path / "elsewhere"))
    assert Home.open().root == tmp_path / "elsewhere"


def test_an_explicit_path_beats_the_environment(tmp_path, monkeypatch):
    """A caller's own word counts most."""
    monkeypatch.setenv("PROVEOUT_HOME", str(tmp_path / "elsewhere"))
    assert Home.open(tmp_path / "here").root == tmp_path / "here"


def test_only_the_owner_can_enter(tmp_path):
    """Sealed tests pass through here."""
    root = Home.open(tmp_path / "state").root
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (root, *(root / name for name in FOLDERS))]
    assert modes == [0o700] * (1 + len(FOLDERS))


def test_opening_again_changes_nothing(tmp_path):
    """A run picks up what an earlier one left."""
    (Home.open(tmp_path / "state").log / "kept").write_text("kept")
    assert (Home.open(tmp_path / "state").log / "kept").read_text() == "kept"


def test_the_state_folder_ignores_itself_in_git(tmp_path):
    """A run does not make the repository around it look changed."""
    assert (Home.open(tmp_path / "state").root / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("below", ["", "/deeper"])
def test_a_file_in_the_way_is_refused_in_one_line(tmp_path, below):
    """The line names the path and the remedy."""
    (tmp_path / "state").write_text("")
    with pytest.raises(Refusal, match=r"^state folder '.*state.*' cannot be used: .*set PROVEOUT_HOME.*$"):
        Home.open(f"{tmp_path}/state{below}")


def test_a_place_that_takes_no_folder_is_refused_in_one_line():
    """/proc takes none, even from root."""
    with pytest.raises(Refusal, match=r"^state folder '/proc/state' cannot be used"):
        Home.open("/proc/state")


def test_a_state_folder_that_anybody_can_write_is_refused(tmp_path):
    """What others can rewrite is no evidence."""
    root = Home.open(tmp_path / "state").root
    root.chmod(0o777)
    with pytest.raises(Refusal, match="chmod 700"):
        Home.open(root)


@pytest.mark.parametrize("name", ["what?", "100%"])
def test_a_path_that_sqlite_uris_misread_is_refused(tmp_path, name):
    """Otherwise the database would silently lie elsewhere."""
    with pytest.raises(Refusal, match="SQLite URIs misread"):
        Home.open(tmp_path / name)


def test_the_sqlite_uri_of_a_path_is_four_slashes_and_the_path(tmp_path):
    """SQLAlchemy's form of an absolute path."""
    home = Home.open(tmp_path / "st\u00e4te folder")
    assert sqlite_uri(home.mlflow_db) == f"sqlite:///{tmp_path}/st\u00e4te folder/mlflow.db"


def test_what_is_only_read_is_neither_made_nor_written(tmp_path):
    """Looking for runs where nothing ever ran leaves nothing behind."""
    with pytest.raises(Refusal, match=r"^no state folder at '.*state'; name one with --home or PROVEOUT_HOME$"):
        Home.found(tmp_path / "state")
    (tmp_path / "state").mkdir()
    assert Home.found(tmp_path / "state").root == tmp_path / "state"
    assert list((tmp_path / "state").iterdir()) == []
