"""Workspaces: a writable view of a tree in every tier, bounded, seen by nobody else, and gone afterwards."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.records.errors import Refusal, SandboxTrouble, SandboxUnavailable
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace import bubblewrap, landlock, workspaces
from tasks.workspace.environment import base_python, prepare
from tasks.workspace.grading import ROOT, Bench
from tasks.workspace.ladder import choose
from tasks.workspace.launch import dress
from tasks.workspace.orders import patch
from tasks.workspace.sandbox import Job, Limits, Mount, View
from tasks.workspace.workspaces import Workspaces, difference, materialise

SMALL = SourceTree.of({"a.txt": "a", "deep/er/b.txt": "b"})
LARGE = SourceTree.of({**{f"part/{number}.txt": "part" for number in range(210)}, "a.txt": "a", "deep/er/b.txt": "b"})
TREES = {"carried": SMALL, "overlaid": LARGE}
WAYS = ("mounted", "copied")
TIERS = ("bubblewrap", "landlock", "none")


def sandbox_of(tier, way, monkeypatch):
    """The tier, with or without the right to mount."""
    try:
        sandbox = choose(allow_unsafe=True, tier=tier)
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    if way == "copied":
        for module in (bubblewrap, landlock):
            monkeypatch.setattr(module, "mountable", lambda: False)
    elif not bubblewrap.mountable():
        pytest.skip("nothing may be mounted here")
    return sandbox


@pytest.fixture(params=[(tier, way) for tier in TIERS for way in WAYS], ids="-".join)
def sandbox(request, monkeypatch):
    return sandbox_of(*request.param, monkeypatch)


@pytest.fixture(scope="module")
def rooms():
    return Workspaces()


def shell(sandbox, mount, script, **limits):
    """What /bin/sh says and how it ends, in the view."""
    job = Job(("/bin/sh", "-c", script), (mount,), chdir="/work", limits=Limits(wall_seconds=15, **limits))
    ended = sandbox.run(job)
    return ended.stdout.decode(), ended.status


SPOIL = """
echo spoilt > a.txt; rm deep/er/b.txt; rmdir deep/er; mkdir new; mv a.txt new; echo x > .hidden
find . | grep -v part | sort
"""


@pytest.mark.parametrize("tree", TREES)
def test_what_a_run_does_to_its_view_is_seen_by_itself_alone(sandbox, rooms, tree):
    """It may write, delete and move; the next run, and another one on the same tree, start from the tree."""
    before = ["./a.txt", "./deep", "./deep/er", "./deep/er/b.txt"]
    for _ in range(2):
        with rooms.view(TREES[tree], "/work") as mount:
            listed = shell(sandbox, mount, "find . -mindepth 1 | grep -v part | sort; cat a.txt")
            assert ("\n".join([*before, "a"]), 0) == listed
            assert (". ./.hidden ./deep ./new ./new/a.txt".replace(" ", "\n") + "\n", 0) == shell(sandbox, mount, SPOIL)


def test_the_tree_on_disk_is_as_it_was(sandbox, rooms):
    """Whatever a run does to its view, the files below it keep their bytes."""
    with rooms.view(LARGE, "/work") as mount:
        shell(sandbox, mount, f"{SPOIL}; for each in part/*; do echo spoilt > $each; done; rm -rf ..?* .[!.]* *")
        found = {path.relative_to(mount.source).as_posix() for path in mount.source.rglob("*") if path.is_file()}
        assert {file.path for file in LARGE.files} == found
        assert {b"part"} == {path.read_bytes() for path in (mount.source / "part").iterdir()}


def test_a_tree_that_differs_little_is_seen_through_the_one_on_disk(sandbox, rooms):
    """Changed, new, executable and removed files, and no folder that has become empty."""
    changed = {file.path: file.content for file in LARGE.files if file.path != "deep/er/b.txt"}
    files = (*SourceTree.of({**changed, "a.txt": "changed", "new/c.txt": "c"}).files,)
    tree = SourceTree(files=(*files, SourceFile(path="run", mode="100755", content=b"#!/bin/sh\necho ran\n")))
    with rooms.view(LARGE, "/work") as first, rooms.view(tree, "/work") as second:
        assert first.source == second.source
        said = shell(sandbox, second, "cat a.txt new/c.txt; ./run; ls deep; ls part | wc -l")
        assert "changedcran\n210\n" == said[0]


def test_a_run_may_start_deep_in_its_view(sandbox, rooms):
    """The folder to start in may be part of the view."""
    with rooms.view(SMALL, "/work") as mount:
        ended = sandbox.run(Job(("/bin/cat", "b.txt"), (mount,), chdir=f"{ROOT}/deep/er"))
        assert (ended.stdout, ended.status) == (b"b", 0)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(
    ("tier", "way"), [("bubblewrap", "mounted"), ("bubblewrap", "copied"), ("landlock", "mounted"), ("none", "mounted")]
)
def test_a_view_takes_no_more_than_declared(tier, way, rooms, tree, monkeypatch):
    """A run that fills its disk fills its view; the machine's disk is not touched."""
    sandbox = sandbox_of(tier, way, monkeypatch)
    script = "head -c 20000000 /dev/zero > big; stat -c %s big"
    with rooms.view(TREES[tree], "/work") as mount:
        written = int(shell(sandbox, mount, script, work_bytes=4 << 20)[0])
    assert 2 << 20 <= written <= 4 << 20


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("tier", TIERS)
def test_a_view_takes_no_more_files_than_its_size_allows(tier, rooms, tree, monkeypatch):
    """Empty files take no bytes of a tmpfs, but memory all the same."""
    sandbox = sandbox_of(tier, "mounted", monkeypatch)
    code = "import os\nfor made in range(5000):\n    try: open(f'e{made}', 'w').close()\n    except OSError: break\n"
    python = (str(base_python()), "-I", "-S", "-c", f"{code}print(made)")
    with rooms.view(TREES[tree], "/work") as mount:
        ended = sandbox.run(Job(python, (mount,), chdir="/work", limits=Limits(work_bytes=4 << 20)))
    assert 900 <= int(ended.stdout) <= 1024


def test_a_tree_that_does_not_fit_into_its_view_is_trouble(sandbox, rooms):
    """The limit is ours, so it is nobody's score."""
    tree = SourceTree.of({"big.txt": b"x" * 500_000})
    with rooms.view(tree, "/work") as mount, pytest.raises(SandboxTrouble):
        shell(sandbox, mount, "true", work_bytes=100_000)


def test_a_source_of_a_view_is_mounted_once(sandbox, tmp_path):
    """A second mount of it would show the covered folder, or the view, depending on the tier."""
    mounts = (Mount(tmp_path, "/work", View()), Mount(tmp_path, "/other"))
    with pytest.raises(Refusal, match="expected one mount of a writable view"):
        sandbox.run(Job(("/bin/true",), mounts))


def test_no_mount_and_no_file_is_left(sandbox):
    """Views are mounted where nobody else sees them; what was written to disk goes with the object that wrote it."""
    mounts, rooms = Path("/proc/self/mounts").read_text(), Workspaces()
    for tree in TREES.values():
        with rooms.view(tree, "/work") as mount:
            shell(sandbox, mount, SPOIL)
            folder = mount.source.parent
    assert mounts == Path("/proc/self/mounts").read_text()
    assert folder.exists()
    del rooms
    gc.collect()
    assert not folder.exists()


def test_old_trees_are_forgotten_but_not_while_somebody_sees_them(monkeypatch):
    """At most so many trees are on disk, and those in use always."""
    monkeypatch.setattr(workspaces, "MAX_WRITTEN", 2)
    rooms = Workspaces()
    trees = [SourceTree.of({f"{name}/{number}.txt": name for number in range(210)}) for name in ("one", "two", "three")]
    with rooms.view(trees[0], "/work") as held:
        sources = []
        for tree in trees[1:]:
            with rooms.view(tree, "/work") as mount:
                sources.append(mount.source)
        with rooms.view(trees[1], "/work") as again:
            assert [False, False] == [source.exists() for source in sources]
            assert [True, True] == [mount.source.exists() for mount in (held, again)]


PATHS = st.sampled_from(["a", "b", "c/a", "c/b", "c/d/a", "d/a", "a/a", "e.pyc"])
TREE_OF_PATHS = st.dictionaries(PATHS, st.sampled_from(["", "x", "y"]), min_size=1).filter(
    lambda files: not {"a", "a/a"} <= files.keys()
)


def contents(folder):
    """Every file and folder below one, with bytes and mode."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in folder.rglob("*")
    }


@given(TREE_OF_PATHS, TREE_OF_PATHS)
def test_a_difference_turns_one_tree_into_the_other(tmp_path_factory, one, other):
    """The same files, folders and modes as if the other had been written; None only where a file became a folder."""
    folder = tmp_path_factory.mktemp("difference")
    before, after = SourceTree.of(one), SourceTree.of(other)
    view = difference(before, after)
    if view is None:
        assert ("a" in one and "a/a" in other) or ("a/a" in one and "a" in other)
        return
    materialise(before, folder / "before")
    materialise(after, folder / "after")
    dress(str(folder / "before"), *patch(view))
    assert contents(folder / "after") == contents(folder / "before")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("home"))


BESIDE = """
import os, pathlib
HERE = pathlib.Path(__file__).parent
def test_it_writes_beside_itself():
    (HERE / "made").mkdir()
    (HERE / "made" / "data.txt").write_text("data")
    assert sorted(os.listdir(HERE)) == ["made", "test_beside.py"]
    pathlib.Path("conftest.py").write_text("raise SystemExit(0)")
    (HERE / "conftest.py").write_text("raise SystemExit(0)")
    pathlib.Path(__file__).write_text("def test_it_writes_beside_itself(): assert False")
"""


def test_tests_may_write_beside_themselves_and_plant_nothing(environment, sandbox):
    """A suite that litters its own tree passes each time, and finds nothing of the last time."""
    bench, node = Bench(sandbox, environment), "tests/test_beside.py::test_it_writes_beside_itself"
    tree = SourceTree.of({"tests/test_beside.py": BESIDE})
    reports = [bench.test(tree, (node,)) for _ in range(2)]
    assert [({node: "passed"}, "exit")] * 2 == [(report.outcomes, report.ended) for report in reports]


def test_a_link_planted_in_a_view_leads_nowhere_afterwards(sandbox, rooms, tmp_path):
    """A link to a file of the host, planted in place of a file that the next run writes, is not followed."""
    target = tmp_path / "target"
    target.write_text("host")
    changed = SourceTree.of({**{file.path: file.content for file in LARGE.files}, "a.txt": "changed"})
    for tree in (LARGE, changed):
        with rooms.view(tree, "/work") as mount:
            shell(sandbox, mount, f"rm a.txt; ln -s {target} a.txt")
    assert ("host", os.geteuid()) == (target.read_text(), target.stat().st_uid)
