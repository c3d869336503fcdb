"""Comparing: patches that are exact to the byte, and found in time."""

from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.comparing import anchors, diff, file_diff


def of(content: bytes) -> SourceFile:
    return SourceFile(path="f", content=content)


def test_bytes_that_are_no_utf8_stand_in_the_patch_as_they_are():
    """Two lines that differ in one such byte are two lines."""
    expected = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-caf\xe9\n+caf\xe8\n x\n"
    assert expected == file_diff(of(b"caf\xe9\nx\n"), of(b"caf\xe8\nx\n"))


def test_carriage_returns_are_part_of_their_lines():
    """As in git, which shows them."""
    expected = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\r\n+y\r\n"
    assert expected == file_diff(of(b"x\r\n"), of(b"y\r\n"))


def test_equal_trees_have_no_difference():
    """Not even a header."""
    tree = SourceTree.of({"a": "1", "b": b"\xff"})
    assert b"" == diff(tree, tree)


def test_unique_lines_anchor_a_change_amid_repeated_ones():
    """`b` and `c` changed places, so only one of them can be kept: `c`, which leaves more room behind it."""
    old, new = [b"x", b"a", b"x", b"b", b"c"], [b"x", b"x", b"a", b"c", b"b"]
    assert [(1, 2), (4, 3)] == anchors(old, new)


def test_texts_made_to_be_slow_are_shown_as_replaced():
    """40,000 lines of 400 kinds, shuffled: any pair of equal lines would do, and trying them takes minutes."""
    old = b"".join(b"%d\n" % (at % 400) for at in range(40_000))
    new = b"".join(b"%d\n" % (at * 7 % 401) for at in range(40_000))
    shown = file_diff(of(old), of(new))
    assert old == b"".join(line[1:] + b"\n" for line in shown.split(b"\n")[4:] if line[:1] in {b"-", b" "})
    assert new == b"".join(line[1:] + b"\n" for line in shown.split(b"\n")[4:] if line[:1] in {b"+", b" "})
