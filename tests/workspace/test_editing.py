"""Editing: only what was read and has not changed, exactly once, and byte for byte elsewhere."""

import pytest

from tasks.records.tree import SourceTree
from tasks.workspace.editing import MAX_TEXT_BYTES, Editor
from tasks.workspace.edits import Unfit, apply, occurrences
from tasks.workspace.workbench import Stale, Workbench

FILES = {
    "src/a.py": "x = 1\ny = 2\nz = x\n",
    "src/crlf.py": b"x = 1\r\ny = 2\r\n",
    "src/mixed.py": b"x = 1\r\ny = 2\nz = 3\r\n",
    "src/latin.py": b"# caf\xe9\nx = 1\n",
    "src/bom.py": b"\xef\xbb\xbfx = 1\n",
    "src/feed.py": b"\x0cx = 1\n",
    "src/wide.py": "x = 1\n".encode("utf-16"),
    "src/tests/test_b.py": "assert 1\n",
    "other.py": "x = 1\n",
}
SCOPE = ("src/**",)


@pytest.fixture
def bench():
    return Workbench(SourceTree.of(FILES), SCOPE)


@pytest.fixture
def editor(bench):
    return Editor(bench)


def edit(editor, path, old, new):
    """Read all, edit, and give the new bytes."""
    editor.read(path, 1, 99)
    editor.commit(editor.prepare_edit(path, old, new))
    return editor.bench.tree.by_path[path].content


def reason(editor, path, old, new, *, read=True):
    """Why the edit is not even prepared; nothing may have changed."""
    if read:
        editor.read(path, 1, 99)
    with pytest.raises(Unfit) as refused:
        editor.prepare_edit(path, old, new)
    assert editor.bench.tree == editor.bench.snapshot
    return str(refused.value)


def test_a_range_is_read_with_numbers_and_clipped_to_the_file(editor):
    """Both ends are included."""
    lines = editor.read("src/a.py", 2, 50)
    assert (lines.first, lines.last, lines.of) == (2, 3, 3)
    assert lines.text == "2: y = 2\n3: z = x"


@pytest.mark.parametrize(("start", "end"), [(0, 1), (3, 2), (4, 9), (-1, 5)])
def test_a_range_outside_of_the_file_is_refused(editor, start, end):
    """With the number of lines that there are."""
    with pytest.raises(Unfit, match="3 lines"):
        editor.read("src/a.py", start, end)


def test_an_exact_edit_replaces_the_one_place_and_says_where(editor):
    """The line on which the old text began."""
    editor.read("src/a.py", 1, 3)
    done = editor.commit(editor.prepare_edit("src/a.py", "y = 2", "y = 3"))
    assert done.line == 2
    assert editor.bench.tree.by_path["src/a.py"].content == b"x = 1\ny = 3\nz = x\n"


def test_a_prepared_edit_has_not_happened(editor):
    """It shows its patch, and the bench is as it was."""
    editor.read("src/a.py", 1, 3)
    change = editor.prepare_edit("src/a.py", "y = 2", "y = 3")
    assert b"-y = 2\n+y = 3\n" in change.effect
    assert editor.bench.tree == editor.bench.snapshot


def test_no_match_several_matches_and_an_empty_text_get_advice(editor):
    """Where the matches are, and to read the range again."""
    for old, expected in (("w = 1", "occurs nowhere"), (" = ", "(lines 1, 2, 3)"), ("", "is empty")):
        said = reason(editor, "src/a.py", old, "q")
        assert expected in said
        assert "reread the range with read_file" in said


def test_matches_that_overlap_are_several(editor):
    """`aa` stands in `aaa` twice."""
    editor.commit(editor.prepare_write("src/c.py", "aaa"))
    with pytest.raises(Unfit, match="more than once"):
        editor.prepare_edit("src/c.py", "aa", "b")


def test_an_edit_that_changes_nothing_is_refused(editor):
    """It would count as one."""
    assert reason(editor, "src/a.py", "x = 1", "x = 1") == "the edit changes nothing"


def test_a_file_that_was_never_read_is_not_edited(editor):
    """However right the text would be."""
    assert "has not been read" in reason(editor, "src/a.py", "x = 1", "x = 2", read=False)


def test_another_editor_makes_a_read_file_stale_until_it_is_read_again(bench):
    """Two readers at one bench: the second does not build on what is gone."""
    one, two = Editor(bench), Editor(bench)
    one.read("src/a.py", 1, 3)
    edit(two, "src/a.py", "y = 2", "y = 3")
    with pytest.raises(Stale, match="changed since it was read; reread the range"):
        one.prepare_edit("src/a.py", "x = 1", "x = 5")
    assert edit(one, "src/a.py", "x = 1", "x = 5") == b"x = 5\ny = 3\nz = x\n"


def test_what_was_read_is_of_one_reader(bench):
    """That another one has read the file does not count."""
    Editor(bench).read("src/a.py", 1, 3)
    assert "has not been read" in reason(Editor(bench), "src/a.py", "x = 1", "x = 2", read=False)


def test_a_change_that_was_prepared_before_another_is_stale(bench):
    """The bytes of the other one stay."""
    one, two = Editor(bench), Editor(bench)
    one.read("src/a.py", 1, 3)
    late = one.prepare_edit("src/a.py", "x = 1", "x = 5")
    edit(two, "src/a.py", "y = 2", "y = 3")
    with pytest.raises(Stale, match="changed after the edit was prepared"):
        one.commit(late)
    assert bench.tree.by_path["src/a.py"].content == b"x = 1\ny = 3\nz = x\n"


def test_a_change_happens_once(editor):
    """Committed again it is stale; so is a new file."""
    editor.read("src/a.py", 1, 3)
    for change in (editor.prepare_edit("src/a.py", "x = 1", "xx = 1"), editor.prepare_write("src/n.py", "")):
        editor.commit(change)
        with pytest.raises(Stale):
            editor.commit(change)
    assert len(editor.bench.state.edits) == 2


def test_an_editor_knows_its_own_edits(editor):
    """A second edit needs no second reading."""
    edit(editor, "src/a.py", "x = 1", "x = 5")
    editor.commit(editor.prepare_edit("src/a.py", "y = 2", "y = 3"))
    assert editor.bench.tree.by_path["src/a.py"].content == b"x = 5\ny = 3\nz = x\n"


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("src/crlf.py", "x = 1\ny = 2", "x = 1\nw = 0\ny = 2", b"x = 1\r\nw = 0\r\ny = 2\r\n"),
        ("src/crlf.py", "y = 2", "y = 2\nw = 0", b"x = 1\r\ny = 2\r\nw = 0\r\n"),
        ("src/crlf.py", "\ny = 2", "\ny = 3", b"x = 1\r\ny = 3\r\n"),
        ("src/mixed.py", "y = 2", "y = 3", b"x = 1\r\ny = 3\nz = 3\r\n"),
        ("src/mixed.py", "x = 1\ny", "x = 9\ny", b"x = 9\r\ny = 2\nz = 3\r\n"),
        ("src/latin.py", "x = 1", "x = 2", b"# caf\xe9\nx = 2\n"),
        ("src/bom.py", "x = 1", "x = 2", b"\xef\xbb\xbfx = 2\n"),
        ("src/feed.py", "x = 1", "x = 2", b"\x0cx = 2\n"),
    ],
)
def test_other_bytes_of_the_file_stay_as_they_are(editor, path, old, new, expected):
    """Line ends, a mark at the beginning, and what has no UTF-8 form; put-in lines get the file's line ends."""
    assert expected == edit(editor, path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("src/latin.py", "# caf\ufffd", "#", "without U+FFFD"),
        ("src/latin.py", "x = 1", "x = 'é'", "not UTF-8; only ASCII"),
        ("src/latin.py", "x = 1", "x = 1  # caf\ufffd", "not UTF-8; only ASCII"),
        ("src/feed.py", "x = 1", "\ufffdx = 2", "U+FFFD stands for a character"),
        ("src/a.py", "x = 1", "x = '\0'", "NUL"),
        ("src/a.py", "x = 1", "x = '\ud800'", "no UTF-8 form"),
        ("src/a.py", "\ud800", "x", "no UTF-8 form"),
        ("src/a.py", "x = 1", "x" * (MAX_TEXT_BYTES + 1), "more than 100,000 bytes"),
    ],
)  # fmt: skip
def test_text_that_would_not_stand_in_the_file_as_meant_is_refused(editor, path, old, new, expected):
    """What stands for other bytes is never written as if it were them."""
    assert expected in reason(editor, path, old, new)


def test_utf16_is_no_text(editor):
    """Its bytes would be halved."""
    with pytest.raises(Unfit, match="not text"):
        editor.read("src/wide.py", 1, 1)


def test_a_new_file_is_written_and_an_existing_one_is_not(editor):
    """A taken path is refused, with the way to do it instead."""
    editor.commit(editor.prepare_write("src/new/n.py", "é = 1\n"))
    assert editor.bench.tree.by_path["src/new/n.py"].content == "é = 1\n".encode()
    for path in ("src/a.py", "src/new/n.py"):
        with pytest.raises(Unfit, match="never overwritten; read it, then use apply_edit"):
            editor.prepare_write(path, "")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/A.py", "in case alone"), ("SRC/new.py", "outside of the scope"), ("src/a.py/x", "share one path"),
        ("src", "outside of the scope"), ("other2.py", "outside of the scope"), ("src/conftest.py", "protected"),
        ("src/test_x.py", "protected"), ("src/Tests/x.py", "protected"), ("src/pyproject.toml", "protected"),
        ("src/x.pth", "excluded"), ("src/sitecustomize.py", "never be edited"), ("../x.py", "the path has"),
        ("/src/x.py", "the path has"), ("src/../x.py", "the path has"), ("src/.git/config", "the path has"),
        ("src/.GIT/x", "the path has"), ("src/git~1/x", "the path has"), ("src/x\0.py", "the path has"),
        ("src\\x.py", "the path has"), ("C:/src/x.py", "the path has"), ("", "the path has"),
        ("src/.env", "excluded"), ("src/.ENV.local", "excluded"), ("src/node_modules/x.js", "excluded"),
        ("src/__pycache__/x", "excluded"), ("src/id_rsa", "excluded"), ("src/secret.txt", "excluded"),
    ],
)  # fmt: skip
def test_no_file_is_written_where_none_may_be(path, expected):
    """Outside of the scope, over protected or excluded names, and along every spelling that leads out of the tree."""
    editor = Editor(Workbench(SourceTree.of(FILES), SCOPE, excluded=("secret*",)))
    with pytest.raises(Unfit, match=expected):
        editor.prepare_write(path, "x")


def test_a_folder_that_differs_in_case_alone_is_one_that_exists():
    """Where case does not count, `SRC/new.py` would land in `src`."""
    editor = Editor(Workbench(SourceTree.of(FILES), ("**",)))
    with pytest.raises(Unfit, match="in case alone"):
        editor.prepare_write("SRC/new.py", "x")


@pytest.mark.parametrize(
    ("path", "expected"),
    [("other.py", "outside of the scope"), ("src/tests/test_b.py", "a test or its data"), ("src/none.py", "no such")],
)
def test_what_may_be_read_may_still_not_be_edited(editor, path, expected):
    """Tests and files beyond the scope are there to be read."""
    with pytest.raises(Unfit, match=expected):
        editor.prepare_edit(path, "1", "2")


def test_excluded_files_are_not_read_either():
    """Should a tree hold one after all."""
    editor = Editor(Workbench(SourceTree.of({".env": "KEY=1"}), ("**",)))
    with pytest.raises(Unfit, match="excluded"):
        editor.read(".env", 1, 1)


def test_the_edits_make_the_working_tree_of_the_snapshot(editor):
    """So a grader that is given them tests what is on the bench."""
    edit(editor, "src/crlf.py", "x = 1\ny", "x = 7\ny")
    editor.commit(editor.prepare_write("src/n.py", "n = 1\n"))
    edit(editor, "src/n.py", "1", "2")
    bench = editor.bench
    assert apply(bench.snapshot, bench.state.edits, SCOPE).tree == bench.tree


def test_the_bench_goes_back_to_an_earlier_state(editor):
    """The first edit stays, the second is gone, and what was read of that file is stale."""
    edit(editor, "src/a.py", "x = 1", "x = 5")
    edit(editor, "src/a.py", "y = 2", "y = 3")
    editor.bench.keep(1)
    assert editor.bench.tree.by_path["src/a.py"].content == b"x = 5\ny = 2\nz = x\n"
    with pytest.raises(Stale):
        editor.prepare_edit("src/a.py", "x = 5", "x = 6")
    with pytest.raises(ValueError, match="expected 0 to 1 edits to keep, got 2"):
        editor.bench.keep(2)


def test_a_hundred_edits_are_enough(editor):
    """More would not be taken by the grader at once."""
    for at in range(100):
        editor.commit(editor.prepare_write(f"src/n{at}.py", ""))
    with pytest.raises(Unfit, match="100 edits have been made"):
        editor.prepare_write("src/n100.py", "")
    assert len(editor.bench.state.edits) == 100


def test_a_text_of_one_letter_is_searched_in_no_time(editor):
    """Half of it stands at 50,000 places of itself; the search stops long before it has found them all."""
    editor.commit(editor.prepare_write("src/n.txt", "a" * 100_000))
    with pytest.raises(Unfit, match="more than once"):
        editor.prepare_edit("src/n.txt", "a" * 50_000, "b")


def test_a_file_that_changed_is_stale_even_where_the_old_text_is_gone(bench):
    """The reason is that it changed, not that the text was wrong."""
    one, two = Editor(bench), Editor(bench)
    one.read("src/a.py", 1, 3)
    edit(two, "src/a.py", "x = 1", "w = 1")
    with pytest.raises(Stale):
        one.prepare_edit("src/a.py", "x = 1", "x = 5")


def test_no_more_than_a_thousand_places_are_looked_for():
    """1,001 letters have 1,001 places for one of them."""
    assert list(range(1_000)) == occurrences(b"a" * 1_001, b"a")
