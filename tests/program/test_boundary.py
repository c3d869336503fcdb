"""The asserted surface: nothing is added, renamed, removed or widened without being named and refused."""

import pytest
from pydantic import ValidationError

from tasks.program.boundary import assert_surface
from tasks.program.surface import TOOLS, described_tools, surface_version, tool_surface_version
from tasks.records.errors import Damaged
from tasks.records.tools import LIMITS, Argument, ToolLimits, ToolSpec
from tasks.records.tree import SourceTree
from tasks.worker.tools import SnapshotTools, assert_our_surface
from tasks.workspace.snapshot import Snapshot

SEARCH, READ, INSPECT = TOOLS
SHELL = ToolSpec(name="run_shell", arguments=(Argument(name="command", type="string"),), description="Run it.")


def taking(tool, *arguments):
    return tool.model_copy(update={"arguments": arguments})


def named(tool, name):
    return tool.model_copy(update={"name": name})


def more(tool, name, type_="string"):
    return taking(tool, *tool.arguments, Argument(name=name, type=type_))


def described(tool, words):
    return tool.model_copy(update={"description": words})


PATH, START, END = READ.arguments


def test_what_answers_is_what_is_declared():
    """Three tools; `end_line` is 80 unless told; 20 hits, 120 lines and 256,000 bytes."""
    assert assert_our_surface() == tool_surface_version()
    assert (
        described_tools()
        .split("\n")[1]
        .startswith("- read_file(path: string, start_line: integer = 1, end_line: integer = 80): ")
    )
    assert [tool.name for tool in TOOLS] == ["search_repository", "read_file", "inspect_symbol"]
    assert (LIMITS.max_hits, LIMITS.max_span_lines, LIMITS.max_file_bytes) == (20, 120, 256_000)


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ((*TOOLS, SHELL), "tool 'run_shell' is offered and not declared"),
        ((SEARCH, READ), "tool 'inspect_symbol' is declared and not offered"),
        ((SEARCH, named(READ, "open_file"), INSPECT), "'read_file' is declared and not.*'open_file' is offered"),
        ((SEARCH, READ, READ, INSPECT), "tool 'read_file' is offered twice"),
        ((more(SEARCH, "root"), READ, INSPECT), "'search_repository' has an argument 'root: string' that could name"),
        ((more(SEARCH, "base_dir"), READ, INSPECT), "'base_dir: string' that could name a root"),
        ((more(SEARCH, "ProjectRoot"), READ, INSPECT), "'ProjectRoot: string' that could name a root"),
        ((more(SEARCH, "where", "PosixPath"), READ, INSPECT), "'where: PosixPath' that could name a root"),
        ((SEARCH, taking(READ, PATH, START), INSPECT), r"'read_file' takes \(path: string, start_line: integer = 1\)"),
        ((taking(SEARCH, Argument(name="query", type="bytes")), READ, INSPECT), r"takes \(query: bytes\), expected"),
        (
            (SEARCH, taking(READ, PATH, START, END.model_copy(update={"default": 120})), INSPECT),
            r"end_line: integer = 120\), expected .*end_line: integer = 80\)",
        ),
        ((described(SEARCH, "Anything."), READ, INSPECT), "'search_repository' is described by other words"),
    ],
    ids=["added", "removed", "renamed", "twice", "root", "base", "camel root", "host path", "argument removed", "type",
         "default", "words"],
)  # fmt: skip
def test_another_surface_is_refused_by_name(tools, said):
    """The refusal names the tool and what changed."""
    with pytest.raises(Damaged, match=said):
        assert_surface(tools, LIMITS)


@pytest.mark.parametrize("name", sorted(ToolLimits.model_fields))
def test_no_limit_can_be_wider_and_none_may_differ(name):
    """A wider one cannot be built; one that was built past the type, or is narrower than declared, is refused."""
    limit = getattr(LIMITS, name)
    with pytest.raises(ValidationError, match=name):
        ToolLimits(**{name: limit + 1})
    for other in (limit + 1, limit - 1):
        with pytest.raises(Damaged, match=f"limit {name} is {other:,}, expected {limit:,}"):
            assert_surface(TOOLS, LIMITS.model_copy(update={name: other}))


def test_a_frozen_surface_is_held_against_the_declared_one():
    """A run that was frozen under other tools, words or limits does not go on."""
    with pytest.raises(Damaged, match="the manifest froze 000000000000"):
        assert_our_surface("0" * 64)
    assert assert_our_surface(tool_surface_version()) == tool_surface_version()


def test_every_part_of_a_surface_is_in_its_version():
    """One fingerprint each for the surface, a word, an argument, a default and a limit that differs."""
    words = (SEARCH.model_copy(update={"description": "x"}), READ, INSPECT)
    shorter = (SEARCH, taking(READ, PATH, START), INSPECT)
    default = (SEARCH, taking(READ, PATH, START, END.model_copy(update={"default": 79})), INSPECT)
    narrow = LIMITS.model_copy(update={"max_hits": 19})
    versions = {surface_version(tools, LIMITS) for tools in (TOOLS, words, shorter, default)}
    assert len(versions | {surface_version(TOOLS, narrow)}) == 5


def test_a_method_that_takes_more_than_is_declared_never_answers(monkeypatch):
    """The signature of what really answers is read, not a list beside it; no tool box is built."""

    def search_repository(self, query: str, root: str = "/"):
        return query + root

    monkeypatch.setattr("tasks.worker.tools.OFFERED", (search_repository, Snapshot.read_file, Snapshot.inspect_symbol))
    with pytest.raises(Damaged, match="'search_repository' has an argument 'root: string = /'"):
        SnapshotTools(SourceTree.of({}))
    with pytest.raises(Damaged, match="'search_repository' has an argument 'root: string = /'"):
        assert_our_surface()


def test_a_snapshot_with_other_limits_is_no_tool_box():
    """The limits that a snapshot enforces are the ones that are compared."""
    with pytest.raises(Damaged, match="limit max_hits is 5, expected 20"):
        SnapshotTools(SourceTree.of({}), ToolLimits(max_hits=5))
