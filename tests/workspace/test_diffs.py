"""The patch gate: what a unified diff may do, and the reason for each thing that it may not."""

from pathlib import Path

import pytest

from tasks.corpus.reading import read_corpus
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.edits import apply, unified_diff
from tasks.workspace.ingest import ingest
from tasks.workspace.patching import apply_diff

# The file, the change and the patches of the 32-case matrix (facts, section 7), as it was measured with git.
SOURCE = (
    "def a():\n    x = 1\n    return x\n\n\ndef b():\n    y = 2\n    return y\n\n\ndef c():\n    z = 3\n    return z\n"
)
WANTED = SOURCE.replace("y = 2", "y = 20")
BODY = " def b():\n-    y = 2\n+    y = 20\n     return y\n"
BINARY = (
    "diff --git a/b.bin b/b.bin\nnew file mode 100644\nindex 0000000..e69de29\nGIT binary patch\nliteral 3\n"
    "KcmZQzU|;|M00RI3\n\nliteral 0\nHcmV?d00001\n\n"
)


def patch(header="@@ -6,3 +6,3 @@", body=BODY, old="a/m.py", new="b/m.py"):
    return f"--- {old}\n+++ {new}\n{header}\n{body}"


def created(path, mode="100644", text="+pwn\n"):
    head = f"diff --git a/{path} b/{path}\nnew file mode {mode}\n"
    return f"{head}--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n{text}"


GOOD = patch()
RIGHT = {
    "good": GOOD,
    "wrong counts": patch("@@ -6,9 +6,9 @@"),
    "short counts": patch("@@ -6,2 +6,2 @@"),
    "wrong start line": patch("@@ -46,3 +46,3 @@"),
    "no numbers": patch("@@ @@"),
    "an ellipsis for numbers": patch("@@ ... @@"),
    "zero context around one removed line": patch("@@ -7 +7 @@", "-    y = 2\n+    y = 20\n"),
    "the same on the wrong line": patch("@@ -3 +3 @@", "-    y = 2\n+    y = 20\n"),
    "blank context lines without their space": patch("@@ -4,5 +4,5 @@", f"\n\n{BODY}"),
    "a fence and prose behind": f"{GOOD}```\n\nThis fixes it.\n",
    "prose and a fence before": f"Here is the patch:\n```diff\n{GOOD}```\n",
    "no final newline in the patch": GOOD[:-1],
    "no a/ and b/": patch(old="m.py", new="m.py"),
    "CRLF patch, LF file": GOOD.replace("\n", "\r\n"),
    # beyond the matrix
    "bytes": GOOD.encode(),
    "a git header": f"diff --git a/m.py b/m.py\nindex 1234567..89abcde 100644\n{GOOD}",
    "timestamps": patch(old="a/m.py\t2026-01-01 00:00:00.0 +0000", new="b/m.py\t2026-01-02 00:00:00.0 +0000"),
    "quoted names": patch(old='"a/\\155.py"', new='"b/\\155.py"'),
    "a mail": f"From 1234 Mon Sep 17\nSubject: [PATCH] b\n\n---\n m.py | 2 +-\n\n{GOOD}-- \n2.39.5\n",
    "a mail with wrong counts": f"Subject: b\n\n{patch('@@ -6,30 +6,30 @@')}-- \n2.39.5\n",
    "prose behind a blank line": f"{GOOD}\nThis fixes it.\n",
    "a list behind a fence": f"```\n{GOOD}```\n- it fixes b\n+ nothing else\n---\n",
    "blank lines between hunks": f"{GOOD}\n\n@@ -1 +1 @@\n-def a():\n+def a():\n",
    "two fences": f"First:\n```diff\n{GOOD}```\nThen nothing more:\n```\n```\n",
    "wrong counts and blank lines behind": patch("@@ -6,9 +6,9 @@", f"{BODY}\n\n\n\n"),
    "context that says it once more": patch("@@ -6,3 +6,3 @@", " def b():\n-    y = 2\n+    y = 20\n"),
    "two hunks in the wrong order": patch(body="-    y = 2\n+    y = 20\n@@ -1 +1 @@\n-def a():\n+def a():\n"),
}
REFUSED = {
    "whitespace that drifted": (patch(body=BODY.replace("-    y", "-   y")), "does not fit"),
    "the second hunk does not fit": (f"{GOOD}@@ -11,3 +11,3 @@\n def cc():\n-    z = 3\n+    z = 30\n", "line 8"),
    "a path out of the tree": (patch("@@ -0,0 +1 @@", "+pwn\n", "/dev/null", "b/../../e.py"), "an empty, `.` or `..`"),
    "an absolute path": (patch("@@ -0,0 +1 @@", "+pwn\n", "/dev/null", "/tmp/abs.py"), "an absolute form"),
    ".git/hooks": (patch("@@ -0,0 +1 @@", "+pwn\n", "/dev/null", "b/.git/hooks/x"), "a version control folder"),
    ".GIT/config": (patch("@@ -0,0 +1 @@", "+pwn\n", "/dev/null", "b/.GIT/configx"), "a version control folder"),
    "git~1": (patch("@@ -0,0 +1 @@", "+pwn\n", "/dev/null", "b/git~1/x"), "a version control folder"),
    "a symbolic link": (created("ln", "120000", "+/tmp/out\n\\ No newline at end of file\n"), "symbolic links"),
    "a link and a write through it": (created("ln", "120000", "+/tmp\n") + created("ln/pwn"), "symbolic links"),
    "a file that is a link on disk": (patch("@@ -1 +1 @@", "-orig\n+pwn\n", "a/fl", "b/fl"), "no such file"),
    "a mode change": ("diff --git a/m.py b/m.py\nold mode 100644\nnew mode 100755\n", "a change of the file's mode"),
    "setuid": ("diff --git a/m.py b/m.py\nold mode 100644\nnew mode 104755\n", "the mode '104755' is not accepted"),
    "a rename": (
        "diff --git a/m.py b/n.py\nsimilarity index 100%\nrename from m.py\nrename to n.py\n", "renames and copies",
    ),
    "a submodule": (
        created("sub", "160000", "+Subproject commit 1234567890123456789012345678901234567890\n"), "submodules",
    ),
    "binary": (BINARY, "binary content"),
    "header names that disagree": (f"diff --git a/m.py b/other.py\n{GOOD}", "are not those of the `diff --git` line"),
    "a test deleted": (
        patch("@@ -1 +0,0 @@", "-assert 1\n", "a/tests/t.py", "/dev/null"), "a test or its data",
    ),
    # beyond the matrix: names
    "a quoted .git": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", '"b/\\056git/config"'), "a version control folder"),
    "a quoted way out": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", '"b/\\056\\056/x"'), "an empty, `.` or `..`"),
    "a quoted newline": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", '"b/x\\ny"'), "control or format characters"),
    "a quoted backslash": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", '"b/x\\\\y"'), "a backslash"),
    "a bare backslash": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", "b/..\\x"), "a backslash"),
    "a quoted NUL": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", '"b/x\\000"'), "control or format characters"),
    "an escape that git does not write": (patch(old='"a/\\x6d.py"', new='"b/\\x6d.py"'), "an escape that git does not"),
    "an open quote": (patch(old='"a/m.py', new='"b/m.py'), "a quoted name does not end"),
    "a name that is no UTF-8": (patch(old='"a/\\377"', new='"b/\\377"'), "is not UTF-8"),
    "a joiner in .git": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", "b/.git\u200c/config"), "control or format"),
    ".git and a dot": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", "b/.git./config"), "ends in a dot or a space"),
    "a stream of .git": (
        patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", "b/.git::$INDEX_ALLOCATION/config"), "a version control folder",
    ),
    "a drive": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", "C:/x.py"), "a drive"),
    "two names": (patch(new="b/n.py"), "two names, 'm.py' and 'n.py'"),
    "two names in a git header": ("diff --git a/m.py b/n.py\n", "two names, 'm.py' and 'n.py'"),
    "names that cannot be told apart": ("diff --git a/m n.py b/m.py\n", "cannot be told apart"),
    "a git header with half a quote": ('diff --git "a/m.py b/m.py\n', "does not hold two names"),
    "a name without its prefix in one place": (patch(old="m.py"), "two names, 'm.py' and 'b/m.py'"),
    "an empty name": (patch(new="b/"), "two names, 'm.py' and ''"),
    "two empty names": (patch(old="a/", new="b/"), "no characters"),
    "no file at all": (patch("@@ -0,0 +1 @@", "+x\n", "/dev/null", "/dev/null"), "contradicts itself"),
    # what it says of the file
    "a copy": ("diff --git a/m.py b/n.py\nsimilarity index 90%\ncopy from m.py\ncopy to n.py\n", "renames and copies"),
    "a rewrite": (f"diff --git a/m.py b/m.py\ndissimilarity index 90%\n{GOOD}", "renames and copies"),
    "binary files that differ": (
        "diff --git a/m.py b/m.py\nindex 1..2 100644\nBinary files a/m.py and b/m.py differ\n", "binary content",
    ),
    "a link by its index line": (f"diff --git a/m.py b/m.py\nindex 1..2 120000\n{GOOD}", "symbolic links"),
    "a file that becomes a link": ("diff --git a/m.py b/m.py\nold mode 100644\nnew mode 120000\n", "symbolic links"),
    "a folder": (created("sub", "040000"), "folders"),
    "a mode without its old one": ("diff --git a/m.py b/m.py\nnew mode 100755\n", "contradicts itself"),
    "a mode that is not the file's": (
        f"diff --git a/m.py b/m.py\nold mode 100755\nnew mode 100644\n{GOOD}", "the mode for 100755; it is 100644",
    ),
    "a mode said twice": (
        f"diff --git a/m.py b/m.py\nold mode 100644\nold mode 100644\nnew mode 100644\n{GOOD}", "a second `old mode`",
    ),
    "new, and there before": (f"diff --git a/m.py b/m.py\nnew file mode 100644\n{GOOD}", "contradicts itself"),
    "deleted, and there afterwards": (f"diff --git a/m.py b/m.py\ndeleted file mode 100644\n{GOOD}", "contradicts"),
    "new and deleted": (
        "diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n", "contradicts itself",
    ),
    "another mode, and gone": (
        "diff --git a/m.py b/m.py\nold mode 100644\nnew mode 100755\ndeleted file mode 100755\n", "contradicts itself",
    ),
    "a file that is there already": (created("m.py"), "exists already"),
    "a file below a file": (created("m.py/x"), "a file and a folder cannot share"),
    "a file in place of a folder": (created("pkg"), "a file and a folder cannot share"),
    "a file below a new file": (created("n") + created("n/x"), "a file and a folder cannot share"),
    "a missing file changed": (patch(old="a/none.py", new="b/none.py"), "no such file in the tree"),
    "a missing file deleted": (patch("@@ -1 +0,0 @@", "-x\n", "a/none.py", "/dev/null"), "no such file in the tree"),
    "half a deletion": (patch("@@ -1 +0,0 @@", "-def a():\n", "a/m.py", "/dev/null"), "must remove every line"),
    "a deletion without its lines": ("diff --git a/m.py b/m.py\ndeleted file mode 100644\n", "must remove every line"),
    "a new file with context": (patch("@@ -1 +1,2 @@", " x\n+y\n", "/dev/null", "b/n.py"), "every line starts with"),
    "a new file in two hunks": (created("n.py") + "@@ -9,0 +9 @@\n+x\n", "one hunk"),
    "the same file twice": (GOOD + patch("@@ -1 +1 @@", "-def a():\n+def aa():\n"), "names this file twice"),
    "deleted and made anew": (
        patch("@@ -1 +0,0 @@", "-text\n", "a/pkg/text", "/dev/null") + created("pkg/text"), "names this file twice",
    ),
    # where it goes
    "an insertion without context": (patch("@@ -7,0 +8 @@", "+    y = 3\n"), "only adds lines"),
    "context in two places": (patch("@@ -1 +1 @@", " \n+x = 1\n \n"), "fits in several places"),
    "hunks that overlap": (f"{GOOD}@@ -8,2 +8,2 @@\n     return y\n-\n+pass\n", "overlaps with another"),
    "a hunk said twice": (GOOD + "\n".join(GOOD.splitlines()[2:]) + "\n", "overlaps with another"),
    "no change": (patch(body=" def b():\n"), "changes nothing"),
    "a line put in the place of itself": (patch(body="-def b():\n+def b():\n"), "changes nothing"),
    "a header alone": ("diff --git a/m.py b/m.py\n", "changes nothing"),
    "an end without newline that is none": (
        patch(body="-    return z\n\\ No newline at end of file\n+    return 0\n"), "without a newline; it does not",
    ),
    "a missing newline in the middle": (
        patch(body="-    y = 2\n+    y = 20\n\\ No newline at end of file\n"), "without a newline; it does not",
    ),
    # how it is written
    "empty": ("", "no unified diff"),
    "prose": ("I could not find the bug.\n", "no unified diff"),
    "a hunk without header": (f"@@ -6,3 +6,3 @@\n{BODY}", "line 1 of the patch: a piece of a diff"),
    "a header without hunk": ("--- a/m.py\n+++ b/m.py\n", "line 2 of the patch: a piece of a diff"),
    "half a header": (f"diff --git a/m.py b/m.py\n--- a/m.py\n@@ -6,3 +6,3 @@\n{BODY}", "expected a `+++` line"),
    "a git header, then no hunk": ("diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n", "expected a hunk"),
    "a merge": (f"diff --cc m.py\n{GOOD}", "a piece of a diff"),
    "a merge hunk": (patch("@@@ -6,3 -6,3 +6,3 @@@"), "expected a hunk header"),
    "a context line that lost its space": (patch(body=BODY + "def c():\n"), "a line that starts with a space"),
    "the same behind a blank line": (f"{GOOD}\ndef c():\n-    z = 3\n+    z = 4\n", "a line that starts with a space"),
    "a fence that closed too early": (f"```\n{GOOD}```\n+    z = 4\n```\n", "a changed line that belongs to no hunk"),
    "a signature in the middle": (patch("@@ @@", "-- \n" + BODY), "does not fit"),
    "a stray mode": (f"{GOOD}\nnew file mode 100755\n", "a piece of a diff"),
    "a stray rename": (f"rename from m.py\n{GOOD}", "a piece of a diff"),
    "a stray binary": (f"GIT binary patch\n{GOOD}", "a piece of a diff"),
    "a newline marker first": (patch(body=f"\\ No newline at end of file\n{BODY}"), "follows no line"),
    "a line behind the end": (
        patch(body="-    return z\n+    return 0\n\\ No newline at end of file\n+x\n"), "is followed by another one",
    ),
    "a NUL byte": (patch(body="+\0\n" + BODY), "a NUL byte"),
    "a lone surrogate": (patch(body="+\ud800\n" + BODY), "not Unicode text"),
    "too many bytes": (GOOD + "\n" * 1_000_000, "at most 1,000,000 bytes"),
    "a line too long": (patch(body=BODY + "+" + "x" * 20_000 + "\n"), "at most 20,000 bytes"),
    "too many hunks": ("--- a/m.py\n+++ b/m.py\n" + "@@ @@\n-def b():\n" * 201, "200 hunks"),
    "too many files": ("".join(created(f"n{n}") for n in range(101)), "at most 100 files"),
    # protected, though the scope is wide open
    "a conftest": (created("pkg/conftest.py"), "configures the tests or the build"),
    "a build file": (created("setup.py"), "configures the tests or the build"),
    "a new test": (created("pkg/test_new.py"), "a test or its data"),
    "bytecode": (created("pkg/__pycache__/m.cpython-311.pyc"), "can never be edited"),
    "attributes of git": (created(".gitattributes"), "can never be edited"),
}  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A folder on disk, with links that lead out of it, taken in as every repository is."""
    root = tmp_path_factory.mktemp("case")
    for path, text in {"m.py": SOURCE, "tests/t.py": "assert 1\n", "pkg/text": "text\n"}.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    (root / "dl").symlink_to(tmp_path_factory.mktemp("outside"))
    (root / "fl").symlink_to(__file__)
    return ingest(root)


def refusal(tree, text, scope=("**",), **allowed):
    """The first refusal's reason; nothing of the patch may have been applied."""
    applied = apply_diff(tree, text, scope, **allowed)
    assert (applied.tree, applied.touched) == (tree, ())
    return applied.refusals[0].reason


def content(applied, path="m.py"):
    assert applied.refusals == ()
    return applied.tree.by_path[path].content


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_a_patch_that_can_mean_one_thing_is_applied(tree, text):
    """However it is wrapped, counted or numbered; the file is the hand-written one afterwards, and no other changes."""
    applied = apply_diff(tree, text, ("**",))
    assert content(applied).decode() == WANTED
    assert applied.touched == ("m.py",)
    assert [file for file in applied.tree.files if file.path != "m.py"] == [
        file for file in tree.files if file.path != "m.py"
    ]


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_patch_is_refused_for_its_own_reason(tree, text, reason):
    """Each refusal of the gate, by the words in which a program is told."""
    assert reason in refusal(tree, text)


def test_a_write_through_a_folder_that_was_a_link_stays_in_the_tree(tree):
    """The link was never taken in, so the path is a plain new one in a value: nothing outside can be meant."""
    applied = apply_diff(tree, patch("@@ -0,0 +1 @@", "+pwn\n", "/dev/null", "b/dl/pwn"), ("**",))
    assert content(applied, "dl/pwn") == b"pwn\n"


def test_four_equal_bodies_are_refused_whatever_the_header_says():
    """git edits the wrong one for four of five numbers, and reports success (facts, section 7)."""
    same = SourceTree.of({"m.py": "".join(f"def f{i}():\n    x = 1\n    y = 2\n    return x\n\n" for i in range(4))})
    body = "     x = 1\n-    y = 2\n+    y = 22\n     return x\n"
    for line in (2, 7, 9, 12, 13, 99):
        assert "fits in several places" in refusal(same, patch(f"@@ -{line},3 +{line},3 @@", body))
    named = patch("@@ -99,4 +99,4 @@", f" def f2():\n{body}")
    assert content(apply_diff(same, named, ("**",))).decode().splitlines()[12] == "    y = 22"


def test_every_file_with_a_fault_has_a_refusal_and_no_file_is_changed(tree):
    """One good section and two bad ones: two reasons, nothing applied, and scope is told apart."""
    applied = apply_diff(tree, GOOD + created("elsewhere/x") + created("ln", "120000"), ("m.py", "ln"))
    assert [refusal.path for refusal in applied.refusals] == ["elsewhere/x", "ln"]
    assert (applied.in_scope, applied.tree, applied.touched) == (False, tree, ())


def test_a_path_outside_of_the_scope_is_refused_and_told_apart(tree):
    """As for exact-once edits."""
    applied = apply_diff(tree, GOOD, ("pkg/**",))
    assert applied.refusals[0].reason == "outside of the scope of this case (pkg/**)"
    assert applied.in_scope is False


def test_protected_files_are_opened_by_name_or_by_the_caller(tree):
    """The scope names the whole path, or the caller's globs admit it; what is loaded stays closed."""
    text = created("pkg/conftest.py")
    assert content(apply_diff(tree, text, ("pkg/conftest.py",)), "pkg/conftest.py") == b"pwn\n"
    assert content(apply_diff(tree, text, ("**",), allowed_control=("pkg/**",)), "pkg/conftest.py") == b"pwn\n"
    assert "can never" in refusal(tree, created("a.pth"), ("a.pth",), allowed_control=("**",))
    assert "version control" in refusal(tree, created(".git/x"), (".git/x",), allowed_control=("**",))


def test_a_mode_change_is_applied_where_the_caller_declares_it(tree):
    """Content and mode in one section; and a new file may be executable by itself."""
    both = f"diff --git a/m.py b/m.py\nold mode 100644\nnew mode 100755\n{GOOD}{created('n', '100755')}"
    applied = apply_diff(tree, both, ("**",), mode_changes=True)
    assert {path: applied.tree.by_path[path].mode for path in applied.touched} == {"m.py": "100755", "n": "100755"}
    assert content(applied).decode() == WANTED


def test_an_edit_keeps_the_executable_bit():
    """The index line of a model says 100644 for everything; it decides nothing."""
    tree = SourceTree(files=(SourceFile(path="m.py", mode="100755", content=SOURCE.encode()),))
    applied = apply_diff(tree, f"diff --git a/m.py b/m.py\nindex 1..2 100644\n{GOOD}", ("**",))
    assert applied.tree.by_path["m.py"].mode == "100755"


def test_files_are_created_emptied_and_deleted(tree):
    """With and without lines."""
    gone = patch("@@ -1 +0,0 @@", "-text\n", "a/pkg/text", "/dev/null")
    applied = apply_diff(tree, gone + "diff --git a/e b/e\nnew file mode 100644\n", ("**",))
    assert [file.path for file in applied.tree.files] == ["e", "m.py", "tests/t.py"]
    assert (
        content(apply_diff(tree, patch("@@ -1 +0,0 @@", "-text\n", "a/pkg/text", "b/pkg/text"), ("**",)), "pkg/text")
        == b""
    )


def test_a_file_can_become_a_folder_and_a_folder_a_file(tree):
    """In either order of the sections."""
    gone = patch("@@ -1 +0,0 @@", "-text\n", "a/pkg/text", "/dev/null")
    assert content(apply_diff(tree, gone + created("pkg"), ("**",)), "pkg") == b"pwn\n"
    assert content(apply_diff(tree, created("pkg") + gone, ("**",)), "pkg") == b"pwn\n"
    assert content(apply_diff(tree, created("pkg/text/x") + gone, ("**",)), "pkg/text/x") == b"pwn\n"


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("a\r\nb\r\n", "-b\n+c\n+d\n", "a\r\nc\r\nd\r\n"),  # LF patch, CRLF file
        ("a\nb\n", "-b\r\n+c\r\n", "a\nc\n"),  # a patch of a CRLF file, LF file
        ("a\r\nb\r\n", " a\r\n-b\r\n+b\n", "a\r\nb\n"),  # byte for byte: this patch is about line ends
        ("a\r\nb\nc\n", "-b\r\n+d\r\n", "a\r\nd\nc\n"),  # mixed file: the line end that stands there
        ("a\nb", "-b\n+c\n", "a\nc"),  # the patch is silent about the missing newline: it stays missing
        ("a\nb", " b\n+c\n", "a\nb\nc"),
        ("a\nb", "+c\n-b\n", "a\nc"),
        ("a\nb", " a\n-b\n", "a\n"),
        ("a\nb", "-b\n\\ No newline at end of file\n+b\n", "a\nb\n"),  # not silent
        ("a\nb\n", "-b\n+b\n\\ No newline at end of file\n", "a\nb"),
        ("a\r\nb", "-b\n+c\n+d\n", "a\r\nc\r\nd"),
        ("a\r\nb", " b\n+c\n", "a\r\nb\r\nc"),
        ("", "+c\n", "c\n"),  # an empty file has one place only
        ("a\n\x0cb\rc\u2028d\n", "-\x0cb\rc\u2028d\n+e\n", "a\ne\n"),  # only \n ends a line
    ],
)
def test_line_ends_and_final_newlines_follow_the_file_unless_the_patch_is_exact(before, body, expected):
    """Worked out by hand, a row for each rule of placing.py."""
    applied = apply_diff(SourceTree.of({"m.py": before}), patch("@@ -1 +1 @@", body), ("**",))
    assert expected.encode() == content(applied)


def test_counts_decide_where_lines_look_like_headers():
    """A removed `-- a` and an added `++ b` before a hunk look like a new file; with right counts they are lines."""
    tree = SourceTree.of({"m.sql": "-- a\nx\n"})
    text = patch("@@ -1,2 +1,2 @@", "--- a\n+++ b\n x\n", "a/m.sql", "b/m.sql")
    assert content(apply_diff(tree, text, ("**",)), "m.sql") == b"++ b\nx\n"


def test_bytes_that_are_no_utf8_are_patched_as_bytes():
    """In the hunk and around it."""
    tree = SourceTree.of({"l.py": b"# caf\xe9\nx = 1\n# \xff\n"})
    text = b"--- a/l.py\n+++ b/l.py\n@@ -1,2 +1,2 @@\n # caf\xe9\n-x = 1\n+x = '\xe8'\n"
    assert content(apply_diff(tree, text, ("**",)), "l.py") == b"# caf\xe9\nx = '\xe8'\n# \xff\n"


def test_every_patch_of_the_pilot_means_the_same_as_a_diff():
    """Control and known-bad patches, as edits and as the diff that shows them, in the scope of their case."""
    corpus = read_corpus(Path(__file__).parents[2] / "datasets" / "pilot", ingest)
    for seal in corpus.sealed:
        case = corpus.case(seal.case_id)
        for known in (seal.control, *seal.wrong):
            edited = apply(case.repo, known.edits, case.scope).tree
            assert edited != case.repo
            assert edited == apply_diff(case.repo, unified_diff(case.repo, edited), case.scope).tree


def test_reasons_stay_short_whatever_a_patch_says(tree):
    """They are observations, and quote names and modes from the patch."""
    for text in (patch(old="a/" + "x" * 9_000, new="b/" + "y" * 9_000), created("x", "1" * 9_000)):
        (refused,) = apply_diff(tree, text, ("**",)).refusals
        assert len(refused.path) <= 1024
        assert len(refused.reason) <= 500


def test_the_longest_name_that_a_file_may_have_is_no_trouble():
    """255 bytes in a component, 1,024 in all."""
    path = "/".join(["\u00e9" * 127 + "x"] * 4)[:-1]
    applied = apply_diff(SourceTree.of({}), created(path), ("**",))
    assert content(applied, path) == b"pwn\n"


def test_a_file_that_would_grow_too_large_is_refused():
    """At the limit of exact-once edits."""
    tree = SourceTree.of({"m.py": "x\n" + "y" * 999_990 + "\n"})
    assert "more than 1,000,000 bytes" in refusal(tree, patch("@@ -1 +1 @@", f"-x\n+{'z' * 99}\n"))
