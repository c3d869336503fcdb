"""Laws of the edit tools over random calls; git, on a plain copy, says what the diff means."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.records.attempt import TestReport, Validation
from tasks.records.permissions import PermissionPolicy
from tasks.records.tree import SourceFile, SourceTree
from tasks.worker.edit_tools import EditTools
from tasks.workspace.editing import Editor
from tasks.workspace.edits import Unfit, apply, in_scope
from tasks.workspace.workbench import Workbench

TREE = SourceTree(
    files=tuple(
        SourceFile(path=path, content=content, mode="100755" if path == "src/run" else "100644")
        for path, content in sorted(
            {
                "src/a.py": b"x = 1\ny = 2\nx = 1\n", "src/crlf.py": b"x = 1\r\ny = 2\r\n",
                "src/latin.py": b"# \xe9\nx = 1",
                "src/mixed": b"a\r\nb\nc\r\n\x0cd\re", "src/empty": b"", "src/run": b"a\n" * 12,
                "src/e \u00e9": b"q\n",
                "tests/test_a.py": b"assert 1\n", "src/conftest.py": b"", "keep": b"\xff\x00",
            }.items()
        )
    )
)  # fmt: skip
SCOPE = ("src/**",)
AUTO = PermissionPolicy(mutating="auto", execution="auto")
PATHS = st.sampled_from(
    [
        *TREE.by_path, "src/new.py", "src/sub/new.py", "src/A.py", "src", "../x", "/etc/passwd", "src/../../x",
        ".git/x", "src/.env", "src/a.py/b", "src/x\0", "src/test_n.py", "", "C:/x", "src/\u202ex",
    ]
)  # fmt: skip
TEXTS = st.sampled_from(
    ["x = 1", "y = 2", "y = 3", "a", "b", "b\nc", "\n", "\r\n", "", "é", "\ufffd", "q", "x = 1\ny = 2", "a\na\n", "z\n",
     "\0"]
) | st.text("ab\n\r\x0c\u2028é\x1b", max_size=6)  # fmt: skip
NUMBERS = st.integers(-1, 30)
SENSIBLE = st.one_of(
    st.tuples(
        st.just("read_file"),
        st.fixed_dictionaries({"path": PATHS, "start_line": st.just(1) | NUMBERS, "end_line": NUMBERS}),
    ),
    st.tuples(st.just("apply_edit"), st.fixed_dictionaries({"path": PATHS, "old": TEXTS, "new": TEXTS})),
    st.tuples(st.just("write_file"), st.fixed_dictionaries({"path": PATHS, "content": TEXTS})),
    st.tuples(st.sampled_from(["git_diff", "run_tests"]), st.just({})),
)  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5)
    | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
NAMES = st.sampled_from(["read_file", "apply_edit", "write_file", "git_diff", "run_tests"])
KEYS = st.sampled_from(["path", "start_line", "end_line", "old", "new", "content", "approved"])
CALLS = SENSIBLE | st.tuples(NAMES | ANYTHING, ANYTHING | st.dictionaries(KEYS, ANYTHING | TEXTS | NUMBERS, max_size=4))


def validate(edits):
    """Passes everything that it can apply."""
    tree = apply(TREE, edits, SCOPE).tree
    report = TestReport(tree=tree.fingerprint, outcomes={}, ended="exit", shown="\x1b[1m", tier="bubblewrap")
    return Validation(
        applied=True, in_scope=True, parses=True, refusals=(), tree=tree.fingerprint, report=report, passed=True
    )


def as_git_does(tree: SourceTree, patch: bytes) -> SourceTree:
    """What `git apply` makes of a plain copy."""
    with TemporaryDirectory() as made:
        root = Path(made)
        for file in tree.files:
            (root / file.path).parent.mkdir(parents=True, exist_ok=True)
            (root / file.path).write_bytes(file.content)
            (root / file.path).chmod(int(file.mode[-3:], 8))
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        done = subprocess.run(command, cwd=root, input=patch, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        found = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
        return SourceTree(
            files=tuple(
                SourceFile(
                    path=name,
                    mode=f"100{(root / name).stat().st_mode & 0o755:o}",
                    content=(root / name).read_bytes(),
                )
                for name in found
            )
        )


@settings(max_examples=150)
@given(st.lists(CALLS, max_size=12))
def test_any_calls_are_answered_and_git_agrees_with_what_they_did(calls):
    """Nothing raises; what is not `ok` has no effect; only open paths change; edits and diff both make the tree."""
    bench = Workbench(TREE, SCOPE)
    tools = EditTools(Editor(bench), validate, policy=AUTO)
    for tool, arguments in calls:
        before = bench.tree
        seen = tools.request(tool, arguments)
        assert seen.status == "ok" or bench.tree == before
        assert bench.tree == before or seen.call.tool in {"apply_edit", "write_file"}
        assert len(seen.output.encode()) <= 2_000
        assert len(seen.output.splitlines()) <= 30
        assert "\x1b" not in seen.output
        assert len(seen.fingerprint) == 64
    old, new = TREE.by_path, bench.tree.by_path
    changed = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    assert all(in_scope(path, SCOPE) and "test" not in path and path.startswith("src/") for path in changed)
    assert apply(TREE, bench.state.edits, SCOPE).tree == bench.tree
    if changed:
        assert as_git_does(TREE, bench.diff()) == bench.tree


@settings(max_examples=200)
@given(st.text("ab", max_size=8), st.text("ab", max_size=3), st.text("cd", max_size=3))
def test_an_edit_happens_exactly_where_the_old_text_stands_once(content, old, new):
    """Counted by hand, one place after the other; then it is what Python's own replacement gives."""
    bench = Workbench(SourceTree.of({"src/f": content}), SCOPE)
    editor = Editor(bench)
    editor.read("src/f", 1, 1)
    times = sum(content.startswith(old, at) for at in range(len(content))) if old else 0
    try:
        editor.commit(editor.prepare_edit("src/f", old, new))
    except Unfit:
        assert times != 1
        assert bench.tree == bench.snapshot
    else:
        assert times == 1
        assert bench.tree.by_path["src/f"].content == content.replace(old, new).encode()
