"""Ingest: what comes in, what stays out, and that no race lets a file of the outside in."""

import os
import threading

import pytest

from tasks.records.errors import Refusal
from tasks.workspace.ingest import MAX_FILE_BYTES, ingest, survey


def test_regular_files_come_in_sorted_with_their_modes(tmp_path):
    """Content and the executable bit are kept, order is by path."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.py").write_bytes(b"x\r\n")
    (tmp_path / "a.sh").write_text("#!")
    (tmp_path / "a.sh").chmod(0o755)
    files = ingest(tmp_path).files
    assert [(f.path, f.mode, f.content) for f in files] == [("a.sh", "100755", b"#!"), ("b/x.py", "100644", b"x\r\n")]


@pytest.mark.parametrize(
    "name",
    [".git/config", ".GIT/config", ".venv/x", "node_modules/x", "__pycache__/m.pyc", "m.pyc", ".env", ".env.local",
    "id_rsa",
     "server.pem", "x.pth", "evil-1.dist-info/entry_points.txt", ".hg/store"],
)  # fmt: skip
def test_history_environments_bytecode_and_secrets_stay_out(tmp_path, name):
    """They are told, and no tool ever sees them."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("secret")
    found = survey(tmp_path)
    assert found.tree.files == ()
    assert len(found.skipped) == 1


def test_links_devices_and_pipes_are_left_out_and_told(tmp_path):
    """A symbolic link, a hard link, a folder link and a FIFO: none is followed, read or waited for."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(outside / "secret")
    (root / "folder").symlink_to(outside)
    (root / "hard").hardlink_to(outside / "secret")
    os.mkfifo(root / "fifo")
    found = survey(root)
    assert found.tree.files == ()
    assert [line.partition(":")[0] for line in found.skipped] == ["'fifo'", "'folder'", "'hard'", "'link'"]


def test_names_that_are_not_plain_are_left_out(tmp_path):
    """Control characters, direction overrides and decomposed letters do not enter a tree."""
    for name in ("a\nb", "\u202egnp.py", "e\u0301.py", "ok.py"):
        (tmp_path / name).write_text("")
    assert [file.path for file in ingest(tmp_path).files] == ["ok.py"]


def test_a_file_beyond_the_cap_is_refused_by_name(tmp_path):
    """A sparse terabyte is not read into memory."""
    with (tmp_path / "big").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Refusal, match=r"'big'.*1,000,000 bytes"):
        ingest(tmp_path)
    os.truncate(tmp_path / "big", MAX_FILE_BYTES)
    assert len(ingest(tmp_path).files[0].content) == MAX_FILE_BYTES


def test_a_root_that_is_no_folder_is_refused(tmp_path):
    """One line that says what was expected."""
    with pytest.raises(Refusal, match="expected a readable folder"):
        ingest(tmp_path / "missing")


def test_swapping_files_and_folders_for_links_leaks_nothing(tmp_path):
    """While another thread exchanges a file and a folder for links to the outside, nothing of the outside comes in."""
    outside, root = tmp_path / "outside", tmp_path / "root"
    (root / "d").mkdir(parents=True)
    outside.mkdir()
    for folder, text in ((outside, "SECRET"), (root / "d", "inside")):
        (folder / "f").write_text(text)
    (tmp_path / "link").symlink_to(outside)
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            (root / "d").rename(tmp_path / "kept")
            (tmp_path / "link").rename(root / "d")
            (root / "d").rename(tmp_path / "link")
            (tmp_path / "kept").rename(root / "d")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        contents = {file.content for _ in range(400) for file in ingest(root).files}
    finally:
        stop.set()
        thread.join()
    assert contents <= {b"inside"}
