"""Wheels: requirements come from a folder that serves as an index; no network is asked."""

import shutil
import subprocess

import pytest

from tasks.records.case import Case, TestNodes
from tasks.records.errors import EnvironmentMissing
from tasks.records.tree import SourceTree
from tasks.workspace import environment, wheels
from tasks.workspace.environment import base_python, environments, prepare
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose
from tests.workspace.wheel_making import source_archive, wheel

MARK = "import pathlib; pathlib.Path({mark!r}).write_text('ran')\n"


@pytest.fixture
def index(served, uncompiled):
    return served


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A folder of wheels, and settings of a user whose index it is."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name, value in {
        "UV_FIND_LINKS": folder, "UV_OFFLINE": 1, "UV_CACHE_DIR": tmp_path / "cache", "UV_NO_CONFIG": 1,
        "PIP_FIND_LINKS": folder, "PIP_NO_INDEX": 1, "PIP_CONFIG_FILE": "/dev/null",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    return folder


@pytest.fixture
def uncompiled(monkeypatch):
    """Bytecode is compiled in seconds, and only matters where something is run."""
    monkeypatch.setattr(environment.compileall, "compile_dir", lambda *_, **__: None)


@pytest.fixture(params=["uv", "pip"])
def installer(request, monkeypatch):
    """Either of the two that a user may have."""
    if request.param == "pip":
        monkeypatch.setattr(wheels.shutil, "which", lambda _: None)
        probe = subprocess.run([base_python(), "-m", "pip", "--version"], capture_output=True, check=False)
        if probe.returncode:
            pytest.skip("no pip here")
    elif shutil.which("uv") is None:
        pytest.skip("no uv here")


def refused(home, *pins):
    """The one line that is said of pins that cannot be had."""
    with pytest.raises(EnvironmentMissing) as missing:
        prepare(home, pins)
    assert "\n" not in str(missing.value)
    assert missing.value.exit_status == 5
    return str(missing.value)


def test_no_code_of_a_requirement_runs(index, installer, tmp_path):
    """A wheel leaves no script, .pth or bytecode; a source archive of the right version is not touched."""
    mark = str(tmp_path / "ran")
    code = MARK.format(mark=mark)
    files = {
        "one/__init__.py": f"{code}VALUE = 1\n", "one.pth": "import one\n", "one/x.pyc": "",
        "one-1.0.data/scripts/run": f"#!python\n{code}",
        "one-1.0.dist-info/entry_points.txt": "[pytest11]\none = one\n",
    }  # fmt: skip
    wheel(index, "one", "1.0", files)
    source_archive(index, "two", "1.0", code)
    site = prepare(tmp_path / "home", ("one==1.0",)).site
    found = {path.relative_to(site).as_posix() for path in site.rglob("one*/**/*") if path.suffix != ".pyc"}
    kept = {"METADATA", "entry_points.txt"}
    assert {"one/__init__.py", *(f"one-1.0.dist-info/{name}" for name in kept)} == found
    assert not {"bin", "one.pth", ".lock"} & {path.name for path in site.iterdir()}
    assert "two==1.0" in refused(tmp_path / "home", "two==1.0")
    assert not (tmp_path / "ran").exists()


def test_a_wish_to_build_from_source_is_not_followed(index, installer, tmp_path, monkeypatch):
    """Users may prefer sources for themselves; here the wheel is taken."""
    for name, value in {"UV_NO_BINARY": "1", "UV_NO_BINARY_PACKAGE": "one", "PIP_NO_BINARY": ":all:"}.items():
        monkeypatch.setenv(name, value)
    wheel(index, "one", "1.0", {"one.py": "VALUE = 1\n"})
    source_archive(index, "one", "1.0", MARK.format(mark=str(tmp_path / "ran")))
    assert (prepare(tmp_path / "home", ("one==1.0",)).site / "one.py").read_text() == "VALUE = 1\n"
    assert not (tmp_path / "ran").exists()


def test_the_name_does_not_say_where_or_with_what_it_was_built(index, tmp_path, monkeypatch):
    """Two homes, two installers, one name; without requirements the name is another."""
    wheel(index, "one", "1.0", {"one.py": "VALUE = 1\n", "one-1.0.data/scripts/run": "#!python\n"})
    first = prepare(tmp_path / "a", ("one==1.0",))
    monkeypatch.setattr(wheels.shutil, "which", lambda _: None)
    try:
        second = prepare(tmp_path / "elsewhere" / "b", ("one==1.0",))
    except EnvironmentMissing as missing:
        pytest.skip(str(missing))
    assert first.fingerprint == second.fingerprint != prepare(tmp_path / "a").fingerprint


def test_what_was_built_once_is_found_without_an_index(index, tmp_path, monkeypatch):
    """A later process asks nobody; and what it finds is verified like any other environment."""
    wheel(index, "one", "1.0", {"one.py": "VALUE = 1\n"})
    built = prepare(tmp_path / "home", ("one==1.0",))
    prepare.cache_clear()

    def unreachable(*_):
        raise AssertionError

    monkeypatch.setattr(wheels, "fetch", unreachable)
    assert built == prepare(tmp_path / "home", ("one==1.0",))
    prepare.cache_clear()
    (built.site / "one.py").write_text("VALUE = 2\n")
    with pytest.raises(environment.Damaged, match="is not as it was built"):
        prepare(tmp_path / "home", ("one==1.0",))


def test_what_cannot_be_had_is_named(index, tmp_path):
    """A version that does not exist, beside one that does: the line names the one to blame."""
    wheel(index, "one", "1.0", {"one.py": ""})
    assert refused(tmp_path, "one==1.0", "three==3.0").startswith("requirement 'three==3.0' cannot be had: ")


def test_neither_installer_is_a_clear_failure(index, tmp_path, monkeypatch):
    """No uv, and a base Python without pip."""
    monkeypatch.setattr(wheels.shutil, "which", lambda _: None)
    said = "/usr/bin/python3: No module named pip\n"
    monkeypatch.setattr(
        wheels.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1, b"", said.encode())
    )
    assert refused(tmp_path, "one==1.0") == "requirement 'one==1.0' cannot be had: neither uv nor pip is installed"


def test_a_need_that_is_not_pinned_or_pinned_otherwise_is_named(index, tmp_path):
    """The whole closure is pinned, so that a case has one environment; needs of other platforms do not count."""
    needs = ("two>=2", "three; sys_platform == 'win32'", "four; extra == 'more'")
    wheel(index, "one", "1.0", {"one.py": ""}, needs)
    for version in ("1.0", "2.5"):
        wheel(index, "two", version, {"two.py": ""})
    assert refused(tmp_path, "one==1.0") == "requirement 'one==1.0' needs 'two>=2', which is not pinned"
    assert refused(tmp_path, "one==1.0", "two==1.0") == "requirement 'one==1.0' needs 'two>=2', and 1.0 is pinned"
    assert prepare(tmp_path, ("one==1.0", "two==2.5")).site.is_dir()


def test_a_pin_that_pytest_runs_with_must_be_pytests_own(index, tmp_path):
    """The same version is there already and asks no index; another one is named with the one that it conflicts with."""
    assert prepare(tmp_path, (f"pytest=={pytest.__version__}",)).fingerprint == prepare(tmp_path).fingerprint
    said = f"requirement 'pytest==7.0.0': expected pytest=={pytest.__version__}, with which pytest runs here"
    assert said == refused(tmp_path, "pytest==7.0.0")


@pytest.mark.parametrize("path", ["_pytest/evil.py", "pytest.py", "pluggy/__init__.py", "_pytest.so"])
def test_a_wheel_brings_nothing_under_a_name_of_pytests(index, tmp_path, path):
    """Otherwise a requirement could replace what grades."""
    wheel(index, "one", "1.0", {path: ""})
    assert f"a requirement brings '{path}'" in refused(tmp_path, "one==1.0")


def test_an_address_of_an_index_is_not_repeated():
    """It may hold a password; chatter of the installers is left out."""
    said = (
        "Using CPython 3\nWARNING: x\nerror: Failed to fetch: `https://me:secret@host/files/one/`\n  Caused by: dns\n"
    )
    assert wheels.reason(said) == "Failed to fetch: `the index Caused by: dns"
    assert wheels.reason("") == "the installer did not say why"


def case(case_id, *requirements):
    nodes = TestNodes(fail_to_pass=("tests/test_x.py::test_x",))
    tree = SourceTree.of({"tests/test_x.py": "def test_x():\n    import one\n    assert one.VALUE == 1\n"})
    return Case(
        case_id=case_id, group="g", issue="i", constraints="", repo=tree, scope=("**",), public=nodes,
        requirements=requirements,
    )  # fmt: skip


def test_cases_with_equal_requirements_share_an_environment(index, tmp_path):
    """By case id; a case that declares nothing has what there always was; trouble names the case."""
    wheel(index, "one", "1.0", {"one.py": "VALUE = 1\n"})
    found = environments(tmp_path, [case("a"), case("b", "one==1.0"), case("c", "one==1.0")])
    assert found["a"] == prepare(tmp_path)
    assert found["b"] is found["c"]
    assert found["a"] != found["b"]
    with pytest.raises(EnvironmentMissing, match=r"^case 'd': requirement 'six==0\.0\.1' cannot be had"):
        environments(tmp_path, [case("d", "six==0.0.1")])


def test_code_under_test_imports_its_requirement_and_cannot_change_it(served, tmp_path):
    """The environment is shown read-only, in each tier."""
    wheel(served, "one", "1.0", {"one.py": "VALUE = 1\n"})
    found = environments(tmp_path, [case("with", "one==1.0")])["with"]
    write = "def test_w():\n    import one\n    open(one.__file__, 'w')\n"
    tree = SourceTree.of({**{file.path: file.content for file in case("a").repo.files}, "tests/test_w.py": write})
    nodes = ("tests/test_x.py::test_x", "tests/test_w.py::test_w")
    for tier in ("bubblewrap", "landlock"):
        report = Bench(choose(tier=tier), found).test(tree, nodes)
        assert ["passed", "failed"] == [report.outcomes[node] for node in nodes]
