"""Ingest under attack: another process exchanges what is being read for what must not be, thousands of times."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.workspace.ingest import survey

SWAPPING = Path(__file__).parent / "swapping.py"
SENTINEL = b"the sentinel of the outside"
INSIDE = b"inside"
KINDS = ("symlink", "folder", "hardlink", "fifo")


def staged(folder):
    """A root with one name for each kind of swap, and beside it what each name is exchanged for."""
    root, stage, outside = folder / "root", folder / "stage", folder / "outside"
    for each in (root / "folder", stage, outside):
        each.mkdir(parents=True)
    (outside / "secret").write_bytes(SENTINEL)
    (root / "folder" / "secret").write_bytes(INSIDE)
    for kind in ("symlink", "hardlink", "fifo"):
        (root / kind).write_bytes(INSIDE)
    (stage / "symlink").symlink_to(outside / "secret")
    (stage / "folder").symlink_to(outside)
    (stage / "hardlink").hardlink_to(outside / "secret")
    os.mkfifo(stage / "fifo")
    return root, stage


def attacked(folder, kinds, seconds, swaps, read):
    """Every answer of `read(root)` in so many seconds of exchanges, 50 at least, and the number of exchanges."""
    root, stage = staged(folder)
    names = [str(parent / kind) for kind in kinds for parent in (root, stage)]
    command = [sys.executable, "-I", str(SWAPPING), str(swaps), *names]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attacker:
        assert attacker.stdout.readline() == "ready\n"
        answers, deadline = [], time.monotonic() + seconds
        while time.monotonic() < deadline or len(answers) < 50:
            answers.append(read(root))
        attacker.terminate()
        made = int(attacker.stdout.read())
    return answers, made


def naive(root):
    """What lies below a root as the obvious reader sees it, which looks first and opens then."""
    found = (Path(parent, name) for parent, _, names in os.walk(root) for name in names)
    contents = []
    for path in found:
        try:
            if path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1:
                contents.append(path.read_bytes())
        except OSError:
            continue
    return contents


def assert_nothing_of_the_outside(surveys, kinds):
    """And both what lies inside and what was put in its place were met under every attacked name."""
    contents = {file.content for found in surveys for file in found.tree.files}
    assert contents == {INSIDE}
    came = {file.path.partition("/")[0] for found in surveys for file in found.tree.files}
    stayed = {each.path.partition("/")[0] for found in surveys for each in found.skipped}
    assert set(kinds) <= came
    assert set(kinds) <= stayed


@pytest.mark.parametrize("kind", KINDS)
def test_no_byte_of_the_outside_comes_in_while_names_are_exchanged(tmp_path, kind):
    """A short race for each kind of swap."""
    surveys, swaps = attacked(tmp_path, (kind,), 0.3, 1_000, survey)
    assert_nothing_of_the_outside(surveys, (kind,))
    assert swaps >= 1_000


@pytest.mark.slow
def test_no_byte_of_the_outside_comes_in_during_a_long_race(tmp_path):
    """All kinds at once, for 4 s and more than ten thousand swaps; every reason is seen."""
    surveys, swaps = attacked(tmp_path, KINDS, 4, 10_001, survey)
    assert_nothing_of_the_outside(surveys, KINDS)
    assert {"link", "hard-link", "special"} <= {each.why for found in surveys for each in found.skipped}
    assert swaps > 10_000
    print(f"{swaps:,} swaps during {len(surveys):,} walks")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["symlink", "folder", "hardlink"])
def test_the_same_race_fools_a_reader_that_looks_before_it_opens(tmp_path, kind):
    """Without this the race might be too slow to show anything."""
    answers, _ = attacked(tmp_path, (kind,), 4, 10_001, naive)
    assert SENTINEL in {content for contents in answers for content in contents}
