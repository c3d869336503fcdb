"""Edits: exact-once, atomic, inside the scope, and byte for byte elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.records.case import Edit
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.edits import apply, in_scope, parses, unified_diff

TREE = SourceTree.of(
    {"src/a.py": "x = 1\ny = 2\n", "src/crlf.py": b"x = 1\r\ny = 2\r\n", "tests/test_a.py": "assert 1\n"}
)
SCOPE = ("src/**",)


def reason(*edits, scope=SCOPE):
    """The one refusal's reason; the tree must be untouched."""
    applied = apply(TREE, edits, scope)
    assert applied.tree == TREE
    assert applied.touched == ()
    (refusal,) = applied.refusals
    return refusal.reason


def test_a_search_text_that_occurs_once_is_replaced():
    """The one occurrence changes and nothing else does."""
    applied = apply(TREE, [Edit(path="src/a.py", search="x = 1", replace="x = 3")], SCOPE)
    assert applied.tree.by_path["src/a.py"].content == b"x = 3\ny = 2\n"
    assert (applied.touched, applied.refusals, applied.in_scope) == (("src/a.py",), (), True)


def test_edits_of_one_file_are_applied_in_order():
    """The second edit sees what the first one wrote."""
    edits = [
        Edit(path="src/a.py", search="x = 1", replace="x = 3"),
        Edit(path="src/a.py", search="x = 3", replace="x = 4"),
    ]
    assert apply(TREE, edits, SCOPE).tree.by_path["src/a.py"].content == b"x = 4\ny = 2\n"


@pytest.mark.parametrize(("search", "count"), [("z", 0), (" = ", 2)])
def test_a_search_text_that_does_not_occur_exactly_once_is_refused(search, count):
    """Zero or several matches are an observation, never an arbitrary edit."""
    assert f"the search text occurs {count} times; expected exactly once" == reason(
        Edit(path="src/a.py", search=search)
    )


def test_overlapping_occurrences_count():
    """`aa` occurs twice in `aaa`."""
    tree = SourceTree.of({"src/a.py": "aaa"})
    (refusal,) = apply(tree, [Edit(path="src/a.py", search="aa", replace="b")], SCOPE).refusals
    assert refusal.reason == "the search text occurs 2 times; expected exactly once"


def test_an_empty_search_text_is_refused():
    """An empty text occurs everywhere."""
    assert reason(Edit(path="src/a.py", search="", replace="x")) == "the search text is empty"


def test_an_edit_that_changes_nothing_is_refused():
    """A repair that repairs nothing is not counted as one."""
    assert reason(Edit(path="src/a.py", search="x", replace="x")) == "the edit changes nothing"


def test_line_ends_of_a_file_with_crlf_are_kept():
    """A model writes LF; the file keeps its CRLF, in the edit and around it."""
    edit = Edit(path="src/crlf.py", search="x = 1\ny = 2", replace="x = 1\nz = 9\ny = 2")
    assert apply(TREE, [edit], SCOPE).tree.by_path["src/crlf.py"].content == b"x = 1\r\nz = 9\r\ny = 2\r\n"


def test_a_new_line_put_into_a_crlf_file_by_a_one_line_search_gets_crlf():
    """The search has no line end to learn from; the file has."""
    edit = Edit(path="src/crlf.py", search="y = 2", replace="y = 2\nz = 3")
    assert apply(TREE, [edit], SCOPE).tree.by_path["src/crlf.py"].content == b"x = 1\r\ny = 2\r\nz = 3\r\n"


def test_bytes_that_are_not_utf8_survive_an_edit_elsewhere():
    """Editing one line does not transcode the rest."""
    tree = SourceTree.of({"src/l.py": b"# caf\xe9\nx = 1\n"})
    applied = apply(tree, [Edit(path="src/l.py", search="x = 1", replace="x = 2")], SCOPE)
    assert applied.tree.by_path["src/l.py"].content == b"# caf\xe9\nx = 2\n"


def test_one_refusal_leaves_everything_as_it_was():
    """All edits or none."""
    good = Edit(path="src/a.py", search="x = 1", replace="x = 3")
    assert reason(good, Edit(path="src/none.py", action="delete")) == "no such file to delete"


def test_an_edit_outside_of_the_scope_is_refused_and_told_apart():
    """The public tests are not the program's to change."""
    applied = apply(TREE, [Edit(path="tests/test_a.py", search="1", replace="0")], SCOPE)
    assert (applied.in_scope, applied.tree) == (False, TREE)
    assert applied.refusals[0].reason == "outside of the scope of this case (src/**)"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/conftest.py", "configures the tests or the build"), ("src/tests/data.json", "a test or its data"),
        ("src/test_a.py", "a test or its data"), ("setup.py", "configures the tests or the build"),
        ("src/x.pth", "can never be edited"),
    ],
)  # fmt: skip
def test_files_that_judge_are_protected_from_wildcards(path, expected):
    """They would decide the verdict, whatever glob happens to match them; the reason says what to do instead."""
    assert expected in reason(Edit(path=path, replace="x", action="create"), scope=("**", "src/conftest.*"))


@pytest.mark.parametrize("path", ["src/conftest.py", "src/tests/data.json", "setup.py", "src/test_a.py"])
def test_a_case_opens_a_protected_file_by_its_whole_path(path):
    """A scope that says the path without a wildcard means this file."""
    edit = Edit(path=path, replace="x", action="create")
    assert apply(TREE, [edit], (*SCOPE, path)).touched == (path,)


def test_no_case_opens_what_the_interpreter_loads_by_itself():
    """A `.pth` file is code that runs before anything else, in every later process."""
    edit = Edit(path="src/x.pth", replace="x", action="create")
    assert "can never be edited" in reason(edit, scope=("src/x.pth",))


def test_a_file_named_like_a_wildcard_is_not_opened_by_one():
    """The glob `tests/*` is also a legal file name; it opens nothing that is protected."""
    edit = Edit(path="tests/*", replace="x", action="create")
    assert "protected" in reason(edit, scope=("tests/*",))


def test_a_protected_file_outside_of_the_scope_is_outside_of_the_scope():
    """Scope is asked first, so that both kinds of safety are counted apart."""
    applied = apply(TREE, [Edit(path="conftest.py", replace="x", action="create")], SCOPE)
    assert (applied.in_scope, applied.refusals[0].reason) == (False, "outside of the scope of this case (src/**)")


@pytest.mark.parametrize(
    "path", ["../a.py", "/etc/passwd", "src/../../a.py", "src//a.py", "src/./a.py", "src\\a.py", "C:/a.py", "",
    "src/a\n.py",
             "src/.git/hooks/pre-commit", "src/a.py.", "src/\u202ea.py", "src/e\u0301.py"],
)  # fmt: skip
def test_paths_that_are_not_plain_are_refused(path):
    """Lexically, before anything is looked up."""
    assert reason(Edit(path=path, replace="x", action="create")).startswith("the path has ")


def test_a_file_is_created_only_where_nothing_is():
    """An existing file, a folder of that name, and a file in the place of a folder are all refused."""
    assert (
        reason(Edit(path="src/a.py", replace="", action="create"))
        == "the file exists already; use the action `replace`"
    )
    taken = "a file and a folder cannot share one path"
    assert taken == reason(Edit(path="src/a.py/b.py", replace="", action="create"))
    assert taken == reason(Edit(path="src", replace="", action="create"), scope=("**",))


def test_creating_and_deleting_change_the_set_of_files():
    """Both appear among what was touched."""
    edits = [Edit(path="src/new.py", replace="z = 1\n", action="create"), Edit(path="src/a.py", action="delete")]
    applied = apply(TREE, edits, SCOPE)
    assert list(applied.tree.by_path) == ["src/crlf.py", "src/new.py", "tests/test_a.py"]
    assert applied.touched == ("src/a.py", "src/new.py")


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("src/a.py", "src/*.py", True), ("src/b/a.py", "src/*.py", False), ("src/b/a.py", "src/**/*.py", True),
        ("src/a.py", "src/**/*.py", True), ("src/a.py", "**", True), ("a.py", "**/a.py", True), ("ba.py", "**/a.py",
        False),
        ("src/a.py", "src", False), ("src/a+b.py", "src/a+b.py", True), ("src/ab.py", "src/a?.py", True),
        ("src/a/.py", "src/a?.py", False), ("srcx/a.py", "src/**", False),
    ],
)  # fmt: skip
def test_scope_globs_follow_path_components(path, pattern, expected):
    """One star stays inside a component, two cross any number of them."""
    assert expected == in_scope(path, (pattern,))


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_bytes_around_an_edit_stay_identical(before, after):
    """Whatever surrounds the one occurrence comes out as it went in."""
    tree = SourceTree.of({"src/f": before + b"<<HERE>>" + after})
    applied = apply(tree, [Edit(path="src/f", search="<<HERE>>", replace="there")], SCOPE)
    assert before + b"there" + after == applied.tree.by_path["src/f"].content


def test_parses_looks_at_python_files_that_exist():
    """A deleted file and a text file cannot fail to parse."""
    tree = SourceTree.of({"good.py": "x = '\\d'", "bad.py": "def", "notes.txt": "def"})
    assert parses(tree, ("good.py", "gone.py", "notes.txt"))
    assert not parses(tree, ("good.py", "bad.py"))


def test_a_unified_diff_reads_like_gits():
    """Expected text as `git diff --no-index` prints it, but for its index lines."""
    before = SourceTree(
        files=(
            SourceFile(path="src/a.py", content=b"x = 1\ny = 2\n"),
            SourceFile(path="src/b c.py", content=b"1\n"),
            SourceFile(path="src/empty", content=b""),
            SourceFile(path="src/run", content=b""),
        )
    )
    after = SourceTree(
        files=(
            SourceFile(path="src/a.py", content=b"x = 3\ny = 2\n"),
            SourceFile(path="src/new.py", content=b"z"),
            SourceFile(path="src/run", mode="100755", content=b""),
            SourceFile(path="src/\u00e9.py", content=b"\x0c\r1\n"),
        )
    )
    expected = (
        "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 3\n y = 2\n"
        "diff --git a/src/b c.py b/src/b c.py\ndeleted file mode 100644\n--- a/src/b c.py\t\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-1\n"
        "diff --git a/src/empty b/src/empty\ndeleted file mode 100644\n"
        "diff --git a/src/new.py b/src/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1 @@\n"
        "+z\n\\ No newline at end of file\n"
        "diff --git a/src/run b/src/run\nold mode 100644\nnew mode 100755\n"
        'diff --git "a/src/\\303\\251.py" "b/src/\\303\\251.py"\nnew file mode 100644\n--- /dev/null\n'
        '+++ "b/src/\\303\\251.py"\n@@ -0,0 +1 @@\n+\x0c\r1\n'
    )
    assert expected == unified_diff(before, after)
