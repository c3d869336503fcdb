"""The edit tools: exposure, policy and approval apart; every refusal an observation; our own faults none."""

import threading

import pytest

from tasks.program.edit_surface import EDIT_TOOLS, PERMISSIONS, described_edit_tools, edit_surface_version
from tasks.records.attempt import TestReport, Validation
from tasks.records.errors import Damaged
from tasks.records.evidence import ToolCall
from tasks.records.permissions import PermissionPolicy, ProposedCall
from tasks.records.tree import SourceTree
from tasks.worker.edit_tools import EditTools
from tasks.workspace.editing import Editor
from tasks.workspace.edits import Unfit, apply
from tasks.workspace.workbench import Workbench

TREE = SourceTree.of({"calc.py": "def add(a, b):\n    return a - b\n", "tests/test_calc.py": "...\n"})
SCOPE = ("*.py",)
NODE = "tests/test_calc.py::test_add"
READ = ("read_file", {"path": "calc.py", "start_line": 1, "end_line": 9})
FIX = {"path": "calc.py", "old": "a - b", "new": "a + b"}
AUTO = PermissionPolicy(mutating="auto", execution="auto")


def validate(edits, scope=SCOPE):
    """As the grader does it, with one test that passes where calc.py adds."""
    applied = apply(TREE, edits, scope)
    outcome = "passed" if b"a + b" in applied.tree.by_path["calc.py"].content else "failed"
    report = TestReport(
        tree=applied.tree.fingerprint, outcomes={NODE: outcome}, ended="exit", shown="assert 1 == 3", tier="bubblewrap"
    )
    return Validation(
        applied=not applied.refusals, in_scope=applied.in_scope, parses=True, refusals=applied.refusals,
        tree=applied.tree.fingerprint, report=report, passed=outcome == "passed",
    )  # fmt: skip


def tools(policy=AUTO, approve=None, **options):
    """Tools at a fresh bench, and the bench."""
    bench = Workbench(TREE, SCOPE)
    return EditTools(Editor(bench), options.pop("validate", validate), policy=policy, approve=approve, **options), bench


def after_reading(approve=None, policy=None, **options):
    """Tools whose reader has read calc.py; mutating calls ask."""
    made, bench = tools(policy or PermissionPolicy(execution="auto"), approve, **options)
    assert made.request(*READ).status == "ok"
    return made, bench


def test_a_repair_from_the_failing_test_to_the_passing_one():
    """Read, test, edit, test, diff: the whole path, and it is verified only at its end."""
    made, _ = tools()
    assert made.request("run_tests", {}).output.startswith(f"passed: no; 0 of 1 tests\n{NODE}: failed\nassert 1 == 3")
    assert made.request(*READ).output == "1: def add(a, b):\n2:     return a - b"
    assert made.request("apply_edit", FIX).output == "edited calc.py from line 2 on"
    assert not made.verified
    assert made.request("run_tests", {}).output.startswith("passed: yes; 1 of 1 tests")
    assert made.verified
    assert "-    return a - b\n+    return a + b\n" in made.request("git_diff", {}).output


def test_an_edit_after_the_tests_is_not_verified():
    """What passed is another tree."""
    made, _ = tools()
    made.request(*READ)
    made.request("apply_edit", FIX)
    made.request("run_tests", {})
    made.request("write_file", {"path": "new.py", "content": ""})
    assert not made.verified


def test_a_denied_edit_is_an_observation_and_the_task_stays_unresolved():
    """The file is as it was, the tests still fail, and nothing has raised."""
    made, bench = after_reading(approve=lambda call: False)
    denied = made.request("apply_edit", FIX)
    assert (denied.status, denied.output) == ("denied", "denied by the host; nothing was done")
    assert made.request("run_tests", {}).output.startswith("passed: no")
    assert (bench.tree, made.verified) == (TREE, False)


@pytest.mark.parametrize("permission", ["read_only", "mutating", "execution"])
@pytest.mark.parametrize(
    ("ruling", "answer", "expected"),
    [("auto", None, "ok"), ("deny", True, "denied"), ("ask", None, "denied"), ("ask", False, "denied"),
     ("ask", True, "ok")],
)  # fmt: skip
def test_policy_rules_on_each_kind_and_the_host_is_asked_only_where_it_says_so(permission, ruling, answer, expected):
    """`ask` without somebody to ask denies; `deny` asks nobody."""
    asked = []
    approve = None if answer is None else lambda call: bool(asked.append(call) or answer)
    calls = {
        "read_only": READ,
        "mutating": ("write_file", {"path": "n.py", "content": ""}),
        "execution": ("run_tests", {}),
    }
    rulings = {"read_only": "auto", "mutating": "auto", "execution": "auto", permission: ruling}
    made, _ = tools(PermissionPolicy(**rulings), approve)
    assert expected == made.request(*calls[permission]).status
    assert len(asked) == (ruling == "ask" and answer is not None)


def test_a_tool_that_is_not_exposed_is_unknown_whatever_the_policy_says():
    """And the answer names the exposed ones alone."""
    made, bench = tools(AUTO, exposed=("read_file", "git_diff"))
    said = made.request("write_file", {"path": "new.py", "content": ""})
    assert (said.status, said.output) == ("rejected", "unknown tool; expected one of git_diff, read_file")
    assert bench.tree == TREE


def test_an_exposed_tool_is_not_an_allowed_one():
    """All five are exposed, and the default policy asks before an edit."""
    made, bench = tools(PermissionPolicy())
    assert made.request("write_file", {"path": "new.py", "content": ""}).status == "denied"
    assert bench.tree == TREE


def test_the_host_sees_the_call_and_the_diff_that_it_would_make():
    """Exactly what happens afterwards."""
    asked = []
    made, bench = after_reading(approve=lambda call: asked.append(call) is None)
    made.request("apply_edit", FIX)
    (call,) = asked
    assert (call.tool, call.permission, dict(call.arguments)) == ("apply_edit", "mutating", FIX)
    assert call.effect.encode() == bench.diff()


def test_an_approver_that_mutates_what_it_was_shown_changes_nothing():
    """It has a copy, and even a forced assignment hits that copy."""

    def approve(call):
        assert isinstance(call, ProposedCall)
        object.__setattr__(call, "arguments", (("path", "calc.py"), ("old", "def"), ("new", "evil")))
        object.__setattr__(call, "tool", "write_file")
        return True

    made, bench = after_reading(approve)
    observed = made.request("apply_edit", FIX)
    assert bench.tree.by_path["calc.py"].content == b"def add(a, b):\n    return a + b\n"
    assert observed.call == ToolCall(tool="apply_edit", arguments=FIX)


def test_a_caller_that_mutates_its_arguments_during_approval_changes_nothing():
    """What was checked and shown is what happens."""
    given = dict(FIX)

    def approve(call):
        del call
        given.update(path="tests/test_calc.py", new="evil", approved=True)
        return True

    made, bench = after_reading(approve)
    observed = made.request("apply_edit", given)
    assert bench.tree.by_path["calc.py"].content == b"def add(a, b):\n    return a + b\n"
    assert bench.tree.by_path["tests/test_calc.py"] == TREE.by_path["tests/test_calc.py"]
    assert observed.call.arguments == FIX


def test_an_argument_cannot_approve():
    """An extra argument is refused, whatever it is called, and the host is not even asked."""
    asked = []
    made, bench = after_reading(approve=lambda call: asked.append(call) is None)
    for extra in ("approved", "root", "cwd", "policy"):
        assert made.request("apply_edit", {**FIX, extra: "true"}).status == "rejected"
    assert (asked, bench.tree) == ([], TREE)


def test_an_approver_that_raises_is_our_own_fault():
    """The exception leaves the tools as it is, even one that looks like a refusal, and nothing has happened."""
    for error in (RuntimeError("the dialog crashed"), Unfit("not a model's"), KeyboardInterrupt()):

        def approve(call, error=error):
            raise error

        made, bench = after_reading(approve)
        with pytest.raises(type(error)):
            made.request("apply_edit", FIX)
        assert bench.tree == TREE


@pytest.mark.parametrize("answer", [None, "no", 1, "yes"])
def test_an_answer_that_is_no_bool_approves_nothing(answer):
    """`"no"` is true in Python."""
    made, bench = after_reading(approve=lambda call: answer)
    with pytest.raises(TypeError, match="expected a bool from the host"):
        made.request("apply_edit", FIX)
    assert bench.tree == TREE


def test_a_file_that_changes_while_the_host_decides_makes_the_edit_stale():
    """The host said yes to another diff."""
    bench = Workbench(TREE, SCOPE)
    other = Editor(bench)

    def approve(call):
        del call
        other.read("calc.py", 1, 2)
        other.commit(other.prepare_edit("calc.py", "add", "plus"))
        return True

    made = EditTools(Editor(bench), validate, approve=approve)
    made.request(*READ)
    said = made.request("apply_edit", FIX)
    assert (said.status, "read it again" in said.output) == ("stale", True)
    assert bench.tree.by_path["calc.py"].content == b"def plus(a, b):\n    return a - b\n"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("rm", {}), (None, {}), (7, {}), ("read_file", None), ("read_file", []), ("read_file", "calc.py"),
        ("read_file", {"path": "calc.py"}), ("read_file", {**READ[1], "extra": 1}),
        ("read_file", {**READ[1], "start_line": "1"}), ("read_file", {**READ[1], "start_line": True}),
        ("read_file", {**READ[1], "start_line": 1.0}), ("read_file", {**READ[1], "end_line": 10**400}),
        ("read_file", {**READ[1], "path": b"calc.py"}), ("read_file", {**READ[1], "path": ["calc.py"]}),
        ("apply_edit", {**FIX, "new": None}), ("apply_edit", {**FIX, "new": {"text": "x"}}),
        ("apply_edit", {**FIX, "old": "\ud800"}), ("run_tests", {"command": "rm -rf /"}),
        ("git_diff", {"path": "calc.py"}),
        ("read_file", {1: 2, None: 3, "path": "x"}), ("READ_FILE", READ[1]), ("read_file ", READ[1]),
    ],
)  # fmt: skip
def test_a_call_of_another_form_is_rejected(tool, arguments):
    """Exact names, exact types; the observation can always be named by its hash."""
    made, bench = after_reading(policy=AUTO)
    observed = made.request(tool, arguments)
    assert observed.status == "rejected"
    assert len(observed.fingerprint) == 64
    assert bench.tree == TREE


class Shouting(str):
    """A string whose methods would be somebody's code."""

    __slots__ = ()

    def __eq__(self, other):
        raise AssertionError("was asked")

    __hash__ = str.__hash__


def test_a_subclass_of_a_string_is_no_string():
    """Neither as a tool, nor as a key, nor as a value; none of its methods is called."""
    made, _ = tools()
    for tool, arguments in (
        (Shouting("git_diff"), {}),
        ("read_file", {Shouting("path"): "calc.py", "start_line": 1, "end_line": 1}),
        ("read_file", {"path": Shouting("calc.py"), "start_line": 1, "end_line": 1}),
    ):
        assert made.request(tool, arguments).status == "rejected"


def test_answers_are_bounded_and_flagged_apart_from_the_text():
    """30 lines and 2,000 bytes by default; the host may choose other budgets, but none below one."""
    made, _ = tools()
    made.request("write_file", {"path": "n.py", "content": "é\n" * 40})
    shown = made.request("read_file", {"path": "n.py", "start_line": 1, "end_line": 40})
    assert (shown.output.count("\n"), shown.truncated) == (30, True)
    made, _ = tools(max_bytes=9, max_lines=2)
    made.request("write_file", {"path": "n.py", "content": "é" * 100})
    shown = made.request("read_file", {"path": "n.py", "start_line": 1, "end_line": 1})
    assert (shown.output, shown.truncated) == ("1: ééé", True)
    for budgets in ({"max_bytes": 0}, {"max_lines": -1}):
        with pytest.raises(ValueError, match="at least 1"):
            tools(**budgets)


def test_no_control_character_reaches_a_reader():
    """Neither from a file nor from a path that a model chose, nor from printed text."""
    made, _ = tools()
    made.request("write_file", {"path": "n.py", "content": "\x1b[2J\x07\x9b\r1\n"})
    for call in (("git_diff", {}), ("read_file", {"path": "n.py", "start_line": 1, "end_line": 1})):
        shown = made.request(*call).output
        assert not set(shown) & set("\x1b\x07\x9b\r")


@pytest.mark.parametrize("error", [RuntimeError("bug"), Unfit("not a model's"), OSError("disk")])
def test_an_exception_of_the_executor_propagates(error):
    """A bug of ours, or a broken sandbox, is no observation."""

    def broken(edits):
        raise error

    made, _ = tools(validate=broken)
    with pytest.raises(type(error)):
        made.request("run_tests", {})


def test_a_grader_that_tests_another_tree_is_damage():
    """Its scope is narrower than the bench's, so it refuses what the bench has taken."""
    made, _ = tools(validate=lambda edits: validate(edits, scope=("other/**",)))
    made.request("write_file", {"path": "n.py", "content": ""})
    with pytest.raises(Damaged, match="did not test the working tree"):
        made.request("run_tests", {})


def test_an_unknown_exposed_tool_is_refused_at_once():
    """A misspelling would hide a tool."""
    with pytest.raises(ValueError, match="exposed tools"):
        tools(exposed=("read_files",))


def test_threads_at_one_bench_lose_no_edit():
    """Twenty writers, twenty files, and the edits still make the tree."""
    bench = Workbench(TREE, SCOPE)
    made = [EditTools(Editor(bench), validate, policy=AUTO) for _ in range(20)]
    threads = [
        threading.Thread(target=each.request, args=("write_file", {"path": f"n{at}.py", "content": "x"}))
        for at, each in enumerate(made)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(bench.tree.files) == len(TREE.files) + 20
    assert apply(TREE, bench.state.edits, SCOPE).tree == bench.tree


def test_the_surface_declares_what_the_executor_runs():
    """Every tool has a kind, and its arguments are those of the method that answers it."""
    made, _ = tools()
    assert [tool["name"] for tool in EDIT_TOOLS] == ["read_file", "apply_edit", "write_file", "git_diff", "run_tests"]
    assert set(PERMISSIONS) == set(made._ready) == {tool["name"] for tool in EDIT_TOOLS}
    for tool in EDIT_TOOLS:
        code = made._ready[tool["name"]].__func__.__code__
        assert list(tool["arguments"]) == list(code.co_varnames[1 : code.co_argcount])
    assert described_edit_tools(("git_diff",)) == (
        "- git_diff(): What has changed in the working tree since the beginning, as a patch."
    )
    assert "- read_file(path: string, start_line: integer, end_line: integer): " in described_edit_tools()
    assert len(edit_surface_version()) == 64


def test_a_report_about_another_tree_is_damage():
    """It passed, but it is not what is on the bench."""
    made, _ = tools(validate=lambda edits: validate([]))
    made.request("write_file", {"path": "n.py", "content": ""})
    with pytest.raises(Damaged, match="did not test the working tree"):
        made.request("run_tests", {})
