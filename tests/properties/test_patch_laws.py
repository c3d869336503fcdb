"""Laws of the patch gate over random trees; git, on a plain copy, says what a patch means."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.edits import unified_diff
from tasks.workspace.patching import apply_diff

PATHS = ("a/x.py", "b/x.py", "x.py", "d", "d/e f.py", "d/\u00fc.py", 'd/q"x', "z/-- y")
WORD = st.text("ab \t\r\x0c\u2028\u00e9+-@\\", max_size=4)
FEW = st.sampled_from(["a", "a", "a", "", "a\r"])
MODES = st.sampled_from(["100644", "100755"])
WIDE = ("**",)
TREE = SourceTree.of({"src/a": "x\ny\nz", "c": "x\n"})
PIECES = st.sampled_from(
    [
        "diff --git a/src/a b/src/a", "diff --git a/c b/c", "diff --git ", "--- a/src/a", "+++ b/src/a", "--- a/c",
        "+++ b/c", "--- /dev/null", "+++ /dev/null", "+++ b/src/b", '--- "a/src/\\141"', "--- ", "+++ ", "@@ -1 +1 @@",
        "@@ @@", "@@", "@@ -0,0 +1 @@", "@@ -1,3 +1,3 @@", " x", "-x", "+x", "+w", "-y", "", " ", "\r", "+x\r",
        "\\ No newline", "```", "-- ", "new file mode 100644", "new mode 100755", "old mode 100644",
        "deleted file mode 100644", "index 1..2 120000", "GIT binary patch", "rename from c", "words", "-z",
    ]
)  # fmt: skip


def texts(lines: list[str]) -> st.SearchStrategy[bytes]:
    """Lines as one text, with or without a final newline."""
    return st.sampled_from(["", "\n"] if lines else [""]).map(lambda end: ("\n".join(lines) + end).encode())


@st.composite
def edited(draw: st.DrawFn, distinct: bool) -> tuple[SourceTree, SourceTree]:
    """A tree and what became of it: files made, deleted, changed in their lines, final newlines and modes."""
    before, after = list[SourceFile](), list[SourceFile]()
    for path in PATHS:
        lines = draw(st.lists(WORD, max_size=12) if distinct else st.lists(FEW, max_size=30))
        lines = [f"{at}{line}" for at, line in enumerate(lines)] if distinct else lines
        changed = [
            word
            for line in lines
            for word in draw(st.sampled_from([[line]] * (3 if distinct else 20) + [[], ["new"], [line, "new"]]))
        ]
        there = draw(st.sampled_from([(before, after)] * 3 + [(before,), (after,), ()]))
        for tree, content in ((before, lines), (after, changed)):
            if any(tree is one for one in there):
                tree.append(SourceFile(path=path, mode=draw(MODES), content=draw(texts(content))))
    return _tree(before), _tree(after)


def _tree(files: list[SourceFile]) -> SourceTree:
    """Without the file `d` where it is a folder."""
    folder = any(file.path.startswith("d/") for file in files)
    return SourceTree(
        files=tuple(sorted((f for f in files if f.path != "d" or not folder), key=lambda file: file.path))
    )


def as_git_does(tree: SourceTree, patch: str) -> SourceTree | None:
    """What `git apply` makes of a plain copy; None if it refuses."""
    with TemporaryDirectory() as made:
        root = Path(made)
        for file in tree.files:
            (root / file.path).parent.mkdir(parents=True, exist_ok=True)
            (root / file.path).write_bytes(file.content)
            (root / file.path).chmod(int(file.mode[-3:], 8))
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        if subprocess.run(command, cwd=root, input=patch.encode(), capture_output=True, check=False).returncode:
            return None
        found = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
        return SourceTree(
            files=tuple(
                SourceFile(path=name, mode=f"100{path.stat().st_mode & 0o755:o}", content=path.read_bytes())
                for name, path in sorted(found.items())
            )
        )


@settings(max_examples=30)
@given(edited(distinct=True))
def test_a_patch_between_trees_of_distinct_lines_is_always_taken(pair: tuple[SourceTree, SourceTree]) -> None:
    """Nothing is ambiguous there, so the gate has no reason to refuse; and it comes to what git comes to."""
    before, after = pair
    patch = unified_diff(before, after)
    if patch:
        applied = apply_diff(before, patch, WIDE, mode_changes=True)
        assert applied.refusals == ()
        assert after == applied.tree
        assert after == as_git_does(before, patch)


@settings(max_examples=40)
@given(edited(distinct=False))
def test_what_is_taken_is_right_and_what_is_refused_is_ambiguous(pair: tuple[SourceTree, SourceTree]) -> None:
    """Of lines that repeat, either the very tree comes out, or the reason is that a hunk has no single place."""
    before, after = pair
    if before != after:
        applied = apply_diff(before, unified_diff(before, after), WIDE, mode_changes=True)
        reasons = [refusal.reason for refusal in applied.refusals]
        assert (after if not reasons else before) == applied.tree
        assert all("fits in several places" in reason or "only adds lines" in reason for reason in reasons)


@settings(max_examples=25)
@given(edited(distinct=True), st.data())
def test_line_numbers_and_counts_are_never_believed(pair: tuple[SourceTree, SourceTree], data: st.DataObject) -> None:
    """Any numbers in any hunk header lead to the same tree, or to a refusal; never to another tree."""
    before, after = pair
    number = st.integers(0, 30)
    lines = unified_diff(before, after).split("\n")
    for at, line in enumerate(lines):
        if line.startswith("@@ -"):
            lines[at] = "@@ -{},{} +{},{} @@".format(*(data.draw(number) for _ in range(4)))
    applied = apply_diff(before, "\n".join(lines), WIDE, mode_changes=True)
    assert applied.tree == (before if applied.refusals else after)


@given(st.lists(PIECES, max_size=12).map("\n".join) | st.binary(max_size=80))
def test_any_text_is_answered_by_a_value(text: str | bytes) -> None:
    """Never an exception; what is applied stays inside of the scope, and so do the refusals' words inside of a line."""
    applied = apply_diff(TREE, text, ("src/*",))
    assert applied.tree == TREE or set(applied.touched) <= {"src/a", "src/b"}
    assert bool(applied.touched) != bool(applied.refusals)
    assert all(len(refusal.reason.splitlines()) == 1 for refusal in applied.refusals)


@settings(max_examples=60)
@given(edited(distinct=True), st.data())
def test_a_damaged_patch_never_does_half_of_its_work(pair: tuple[SourceTree, SourceTree], data: st.DataObject) -> None:
    """Lines dropped, doubled or swapped: nothing is applied with a refusal, and no file is touched in secret."""
    before, after = pair
    lines = unified_diff(before, after).split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at, other = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        lines[at : at + 1] = data.draw(st.sampled_from([[], [lines[at]] * 2, [lines[other]], [lines[at][1:]]]))
        lines = lines or [""]
    applied = apply_diff(before, "\n".join(lines), WIDE, mode_changes=True)
    old, new = before.by_path, applied.tree.by_path
    assert {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)} == set(applied.touched)
    assert not (applied.refusals and applied.touched)
