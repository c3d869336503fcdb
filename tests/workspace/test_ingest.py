"""Ingest: what comes in, what stays out and is told; `test_ingest_races` has the swaps."""

import json
import os
import warnings
from pathlib import Path

import pytest

from tasks.records.errors import Refusal
from tasks.workspace import ingest as walking
from tasks.workspace.ingest import ingest, survey, told


def lines(found):
    """What a person is told of a survey."""
    return [each.line for each in found.skipped]


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
    assert lines(found) == [
        "'fifo': neither a regular file nor a folder",
        "'folder': a symbolic link",
        "'hard': has 2 names on disk, expected one",
        "'link': a symbolic link",
    ]


def test_sockets_and_devices_are_left_out_and_told(tmp_path, monkeypatch):
    """Neither is opened; a device takes an administrator to make."""
    import socket

    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        expected = ["special"]
        if os.geteuid() == 0:
            os.mknod("null", 0o20666, os.makedev(1, 3))
            expected.append("special")
        assert [each.why for each in survey(tmp_path).skipped] == expected


def test_names_that_are_not_plain_are_left_out_and_can_be_shown(tmp_path):
    """Control characters, direction overrides, decomposed letters and bytes in no encoding do not enter a tree."""
    for name in (b"a\nb", "\u202egnp.py".encode(), "e\u0301.py".encode(), b"caf\xe9.py", b"ok.py"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("")
    found = survey(tmp_path)
    assert [file.path for file in found.tree.files] == ["ok.py"]
    assert {each.path for each in found.skipped} == {r"a\nb", r"\u202egnp.py", "e\u0301.py", r"caf\udce9.py"}
    assert all(line.encode() for line in lines(found))


def test_a_file_beyond_the_cap_is_left_out_unread_and_the_others_come_in(tmp_path):
    """A sparse terabyte costs nothing; one at the limit comes in whole."""
    for name, size in (("big", 1 << 40), ("over", 256_001), ("at", 256_000)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    found = survey(tmp_path)
    assert [(file.path, len(file.content)) for file in found.tree.files] == [("at", 256_000)]
    assert lines(found) == [
        "'big': has 1,099,511,627,776 bytes, the limit is 256,000",
        "'over': has 256,001 bytes, the limit is 256,000",
    ]


def test_a_case_of_which_a_file_would_be_missing_is_refused_by_name(tmp_path):
    """Without it, it would be another case; names that stay out everywhere and links are not missed."""
    (tmp_path / "a.py").write_text("")
    (tmp_path / ".env").write_text("")
    (tmp_path / "link").symlink_to("a.py")
    assert [file.path for file in ingest(tmp_path).files] == ["a.py"]
    (tmp_path / "data.csv").write_bytes(b"x" * 256_001)
    with pytest.raises(Refusal, match=r"expected files .* got 'data.csv': has 256,001 bytes, the limit is 256,000$"):
        ingest(tmp_path)


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [
        ("MAX_FILES", 2, "at most 2 files"),
        ("MAX_TREE_BYTES", 5, "at most 5 bytes in all"),
        ("MAX_NAMES", 2, "at most 2 f"),
    ],
)
def test_a_tree_beyond_a_total_is_refused_and_the_limit_is_named(tmp_path, monkeypatch, limit, value, said):
    """Three files of two bytes; at their exact number they come in."""
    for name in "abc":
        (tmp_path / name).write_text("12")
    monkeypatch.setattr(walking, limit, value)
    with pytest.raises(Refusal, match=said):
        survey(tmp_path)
    monkeypatch.setattr(walking, limit, 6)
    assert len(survey(tmp_path).tree.files) == 3


def test_folders_deeper_than_64_are_left_out_and_told(tmp_path):
    """Sixty-four components are the most that a path has."""
    deep = tmp_path.joinpath(*["d"] * 64)
    deep.mkdir(parents=True)
    for folder in (deep, deep.parent):
        (folder / "f").write_text("")
    found = survey(tmp_path)
    assert [file.path for file in found.tree.files] == ["d/" * 63 + "f"]
    assert [(each.path, each.reason) for each in found.skipped] == [("d/" * 64 + "f", "has more than 64 components")]


def test_a_file_that_changes_while_it_is_read_is_left_out_and_told(tmp_path, monkeypatch):
    """One that is written to, and one that gets a second name, between the first byte and the last."""
    for name in ("grows", "linked", "same"):
        (tmp_path / name).write_text("12345")
    (tmp_path / "written").write_text("12345")
    read, spoil = (
        os.read,
        {"grows": lambda path: path.write_text("123456"), "written": lambda path: path.write_text("x")},
    )
    spoil["linked"] = (tmp_path.parent / f"{tmp_path.name}-second").hardlink_to

    def reading(file_fd, number):
        content = read(file_fd, number)
        path = Path(f"/proc/self/fd/{file_fd}").readlink()
        if path.name in spoil:
            spoil.pop(path.name)(path)
        return content

    monkeypatch.setattr(os, "read", reading)
    found = survey(tmp_path)
    assert [file.path for file in found.tree.files] == ["same"]
    assert [(each.path, each.why) for each in found.skipped] == [
        ("grows", "changed"), ("linked", "changed"), ("written", "changed"),
    ]  # fmt: skip


def test_a_root_that_is_no_folder_of_its_own_is_refused(tmp_path):
    """Missing, a file, a link, or spelled by way of another folder: one line that says what was expected."""
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    for root, said in (
        (tmp_path / "missing", "expected a readable folder .No such file"),
        (tmp_path / "file", "expected a readable folder"),
        (tmp_path / "link", "it is a symbolic link"),
        (tmp_path / "folder" / "..", r"without '\.\.'"),
    ):
        with pytest.raises(Refusal, match=said):
            survey(root)


def test_an_environment_is_known_by_what_lies_in_it(tmp_path):
    """Whatever it is called; a repository that is one itself is read."""
    for folder in (tmp_path, tmp_path / "my-env"):
        folder.mkdir(exist_ok=True)
        (folder / "pyvenv.cfg").write_text("")
        (folder / "a.py").write_text("")
    found = survey(tmp_path)
    assert [file.path for file in found.tree.files] == ["a.py", "pyvenv.cfg"]
    assert lines(found) == ["'my-env': a virtual environment"]


def test_a_spec_leaves_out_more(tmp_path):
    """By name, and told like the others."""
    for name in ("a.csv", "a.py"):
        (tmp_path / name).write_text("")
    found = survey(tmp_path, ("*.csv",))
    assert [file.path for file in found.tree.files] == ["a.py"]
    assert lines(found) == ["'a.csv': excluded by name"]


def as_nobody(root, read):
    """What `read` answers to a user who owns nothing here, as JSON values; a child process of its own."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child only reads and exits
        child = os.fork()
    if child == 0:
        try:
            os.chdir(root)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            os.write(writing, json.dumps(read(Path())).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        told_by_child = answer.read()
    os.waitpid(child, 0)
    return json.loads(told_by_child)


def test_a_repository_of_everything_is_read_and_what_is_missing_is_told(tmp_path):
    """Latin-1, UTF-16, CRLF, binary, a sparse gigabyte, an unreadable file and folder, by a user and not by root."""
    kept = {
        "binary.bin": bytes(range(256)), "crlf.py": b"a = 1\r\n", "latin.py": b"# caf\xe9\n",
        "utf16.py": "x = 1\n".encode("utf-16"),
    }  # fmt: skip
    for name, content in kept.items():
        (tmp_path / name).write_bytes(content)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "inner").write_text("")
    (tmp_path / "secret.txt").write_text("")
    tmp_path.chmod(0o755)
    (tmp_path / "closed").chmod(0)
    (tmp_path / "secret.txt").chmod(0)

    def read(root):
        found = survey(root)
        return [[[file.path, file.content.hex()] for file in found.tree.files], lines(found)]

    files, skipped = as_nobody(tmp_path, read)
    (tmp_path / "closed").chmod(0o700)
    assert {path: bytes.fromhex(content) for path, content in files} == kept
    assert skipped == [
        "'closed': cannot be read: Permission denied",
        "'secret.txt': cannot be read: Permission denied",
        "'sparse': has 1,073,741,824 bytes, the limit is 256,000",
    ]


def test_what_was_left_out_is_told_in_bounded_lines(tmp_path):
    """In order, and with the number of the others."""
    for number in range(30):
        (tmp_path / f"{number:02}.pyc").write_text("")
    skipped = survey(tmp_path).skipped
    assert told(skipped, 2) == ("'00.pyc': excluded by name", "'01.pyc': excluded by name", "and 28 more")
    assert len(told(skipped)) == 21
