"""Paths: one lexical policy; what judges is protected, and what is version control has many names."""

import pytest

from tasks.workspace.paths import fault, protection

PROTECTED = {
    "configures": [
        "conftest.py", "a/CONFTEST.PY", "pytest.ini", "a/.pytest.toml", "pyproject.toml", "setup.cfg", "setup.py",
        "tox.ini", "noxfile.py", "Makefile", "requirements-dev.txt", "uv.lock", ".gitignore", ".github/workflows/x.yml",
        ".ci/run",
    ],
    "a test or its data": [
        "tests/a.py", "pkg/Tests/data/x.json", "test/x", "pkg/test_a.py", "pkg/a_test.py", "tests.py", "test.py",
    ],
    "can never be edited": [
        "sitecustomize.py", "a/usercustomize.py", "a.pth", "a/b.pyc", "a/__pycache__/x.py", "e-1.dist-info/x",
        "a.egg-info/x", "pyvenv.cfg", ".gitattributes", ".gitmodules",
    ],
}  # fmt: skip
OPEN = ["pkg/a.py", "pkg/testing.py", "pkg/contest.py", "latest.py", "attest/x.py", "README.md", "pkg/setup_done.py"]
EACH = [(path, reason) for reason, paths in PROTECTED.items() for path in paths]


@pytest.mark.parametrize(("path", "reason"), EACH)
def test_what_judges_or_is_loaded_is_protected(path, reason):
    """In any folder and in any case, with a reason of its kind."""
    assert reason in str(protection(path, named=False))


@pytest.mark.parametrize(("path", "reason"), EACH)
def test_naming_opens_what_judges_but_never_what_is_loaded(path, reason):
    """A case can be about its configuration; none is about bytecode."""
    assert (reason == "can never be edited") == (protection(path, named=True) is not None)


@pytest.mark.parametrize("path", OPEN)
def test_what_only_looks_alike_is_open(path):
    """Near names of protected files are code under test."""
    assert protection(path, named=False) is None


@pytest.mark.parametrize(
    "name",
    [
        ".git", ".GIT", ".Git", "git~1", "GIT~2", ".git::$INDEX_ALLOCATION", ".git:x", ".git .:x",
        "\uff0egit", ".hg", ".svn",
    ],
)  # fmt: skip
def test_version_control_is_refused_in_every_spelling(name):
    """As it is called by some file system, at any depth."""
    assert fault(name) == fault(f"a/{name}/hooks/pre-commit") == "a version control folder"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (".git\u200c/config", "control or format"), (".g\u200dit/config", "control or format"),
        (".git./config", "a component that ends in a dot"), (".git /config", "a component that ends in a dot"),
        ("/etc/passwd", "an absolute form"), ("C:/x", "an absolute form"), ("a\\b", "an absolute form"),
        ("a/../b", "an empty, `.` or `..`"), ("a//b", "an empty, `.` or `..`"), ("e\u0301", "characters that are not"),
        ("a/" * 70 + "b", "more than 64"), ("a" * 256, "a component longer"), ("a/" + "b/" * 600, "more than 1,024"),
    ],
)  # fmt: skip
def test_other_paths_that_are_not_plain_have_a_fault(path, problem):
    """Each with the words that end "the path has"."""
    assert str(fault(path)).startswith(problem)
