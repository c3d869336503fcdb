"""Environment: what code under test can import, and that nobody changed it."""

import shutil
import subprocess
import sys

import pytest

from tasks.records.errors import Damaged
from tasks.workspace import environment
from tasks.workspace.environment import prepare


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """One that was built, to be copied."""
    home = tmp_path_factory.mktemp("original")
    prepare(home)
    return home


@pytest.fixture
def built(original, tmp_path):
    """A fresh copy; the memory of what was verified is cleared."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    prepare.cache_clear()
    yield prepare(tmp_path)
    prepare.cache_clear()


def test_it_holds_pytest_and_what_pytest_needs_and_nothing_of_ours(built):
    """The four requirements are those that pytest 9 declares for this platform."""
    names = {path.name for path in built.site.iterdir()}
    assert {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"} <= names
    assert not {"tasks", "flows", "pydantic", "dspy", "numpy"} & names
    assert [*built.site.rglob("*.pth"), *built.site.rglob("direct_url.json"), *built.site.rglob("RECORD")] == []


def test_the_base_interpreter_runs_pytest_from_it(built):
    """Without `site`, and so without any other package on the path."""
    code = (
        f"import sys; sys.path.append({str(built.site)!r}); import pytest; print(pytest.__version__, pytest.__file__)"
    )
    said = subprocess.run(
        [built.python, "-I", "-S", "-B", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert f"{pytest.__version__} {built.site}/pytest/__init__.py\n" == said


def test_a_second_call_builds_nothing_new(built, tmp_path):
    """Same content, same name, same folder."""
    prepare.cache_clear()
    assert built == prepare(tmp_path)
    assert len(list((tmp_path / "environments").iterdir())) == 1


@pytest.mark.parametrize("change", ["edit", "add", "remove", "bytecode"])
def test_a_changed_environment_is_refused_by_the_next_process(built, tmp_path, change):
    """An edited, added or removed file, and bytecode that no longer is what was compiled."""
    target = built.site / "pytest" / "__init__.py"
    if change == "edit":
        target.write_text("import os")
    elif change == "add":
        (built.site / "evil.pth").write_text("import os")
    elif change == "remove":
        target.unlink()
    else:
        next(target.parent.rglob("*.pyc")).write_bytes(b"")
    prepare.cache_clear()
    with pytest.raises(Damaged, match="is not as it was built"):
        prepare(tmp_path)


def test_its_name_says_which_files_and_which_python(built):
    """64 hex digits, the folder's own name."""
    assert built.fingerprint == built.site.parent.name
    assert len(built.fingerprint) == 64
    assert sys.version_info[:2] >= (3, 11)


def test_markers_for_other_platforms_are_not_followed():
    """Everything in the closure is installed here; extras of pytest are not part of it."""
    names = {installed.name.lower() for installed in environment.closure()}
    assert {"pytest", "pluggy", "iniconfig", "packaging", "pygments"} <= names
    assert not {"hypothesis", "attrs", "requests"} & names
