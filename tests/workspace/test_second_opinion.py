"""Second opinion: git must agree, is given nothing to run, and is told apart from the patch where it is at fault."""

import stat
import subprocess

import pytest

from tasks.records.errors import Refusal, SandboxTrouble
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace import second_opinion
from tasks.workspace.edits import Unfit
from tasks.workspace.patching import apply_diff
from tasks.workspace.second_opinion import Change, confirm

BEFORE = SourceFile(path="m.py", content=b"x = 1\n")
AFTER = SourceFile(path="m.py", content=b"x = 2\n")
SCRIPT = [(b"-", b"x = 1\n"), (b"+", b"x = 2\n")]
TREE = SourceTree(files=(BEFORE,))
PATCH = "--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Change(BEFORE, SourceFile(path="m.py", content=b"x = 3\n"), SCRIPT), "another content of 'm.py'"),
        (Change(BEFORE, SourceFile(path="n.py", content=b"x = 2\n"), SCRIPT), "git comes to other paths"),
        (Change(BEFORE, None, SCRIPT), "git does not apply this patch"),
        (Change(SourceFile(path="m.py", content=b"x = 7\n"), AFTER, SCRIPT), "git does not apply this patch"),
        (Change(BEFORE, BEFORE, [(b" ", b"x = 1\n")]), "git does not apply this patch"),
        (Change(None, SourceFile(path=".git/config", content=b"x = 2\n"), SCRIPT[1:]), "git does not apply this patch"),
    ],
)
def test_what_git_applies_differently_is_refused(change, reason):
    """Should the gate ever misread a patch, the two readings differ, and nothing is applied."""
    with pytest.raises(Unfit, match=reason):
        confirm([change])


def test_a_path_that_was_not_declared_is_refused(monkeypatch):
    """git applied one file more than the gate understood: the raw comparison sees it."""
    honest = second_opinion._patch
    other = honest(Change(None, SourceFile(path="extra", content=b""), []))
    monkeypatch.setattr(second_opinion, "_patch", lambda change: honest(change) + other)
    applied = apply_diff(TREE, PATCH, ("**",))
    assert applied.refusals[0].reason == "git comes to other paths, modes or kinds of change than the patch declares"
    assert (applied.tree, applied.touched) == (TREE, ())


def test_an_undeclared_mode_is_refused(monkeypatch):
    """The same content with another mode is another change."""
    honest = second_opinion._patch
    lines = b"old mode 100644\nnew mode 100755\n--- "
    monkeypatch.setattr(second_opinion, "_patch", lambda change: honest(change).replace(b"--- ", lines))
    assert "other paths, modes or kinds" in apply_diff(TREE, PATCH, ("**",)).refusals[0].reason


def test_nothing_of_the_surroundings_configures_git(tmp_path, monkeypatch):
    """A repository above the scratch copy, a home and an environment that would all run a program of theirs."""
    ran = tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {ran}\n")
    trap.chmod(stat.S_IRWXU)
    config = (
        f"[core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n[diff]\n\texternal = {trap}\n[apply]\n\twhitespace = error\n"
    )
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for place in (tmp_path / ".git" / "config", tmp_path / ".gitconfig"):
        with place.open("a") as opened:
            opened.write(config)
    (tmp_path / ".gitattributes").write_text("* text eol=crlf\n")
    for name, value in {
        "HOME": tmp_path,
        "GIT_DIR": tmp_path / ".git",
        "GIT_EXTERNAL_DIFF": trap,
        "GIT_TRACE": ran,
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert apply_diff(TREE, PATCH.replace("+x = 2", "+x = 2  "), ("**",)).tree.by_path["m.py"].content == b"x = 2  \n"
    assert not ran.exists()
    assert not list(tmp_path.glob("proveout-diff-*"))


def test_a_machine_without_git_is_refused_by_name(monkeypatch, tmp_path):
    """The patch is not to blame."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refusal, match="git: expected a program of this name on PATH"):
        apply_diff(TREE, PATCH, ("**",))


def test_a_git_that_hangs_is_trouble_and_no_refusal(monkeypatch, tmp_path):
    """Nor is it here."""
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec /bin/sleep 20\n")
    slow.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(second_opinion, "LIMIT_SECONDS", 0.2)
    with pytest.raises(SandboxTrouble, match=r"git apply took longer than 0\.2 s"):
        apply_diff(TREE, PATCH, ("**",))


def test_a_full_disk_is_trouble_and_no_refusal(monkeypatch):
    """No scratch folder can be made."""
    monkeypatch.setattr("tempfile.tempdir", "/proc/nowhere")
    with pytest.raises(SandboxTrouble, match="scratch copy for a patch: No such file or directory"):
        apply_diff(TREE, PATCH, ("**",))
