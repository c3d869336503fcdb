"""Laws of the tools: whatever a model says and a repository holds, there is an answer, and it is bounded."""

import json
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.program.explore import observe
from tasks.records.tree import SourceTree
from tasks.worker.tools import SnapshotTools

FUZZ_SECONDS = 60
WORDS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "a.py", "b/c.txt", "../a.py", "/etc/passwd", "C:\\x", "\\\\h\\s", "a.py\0", ".git/config", "a/../a.py", ".",
            "\u202egnp", "\ud800", "f", "K.m", "K..m", "self", "x" * 1_025, "e\u0301", "\ufb01", "%00", "file:///a.py",
            "(a+)+$", "\n", "\r", " ", "~", "$HOME", "{path}", "A" * 100_000,
        ]
    ),
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.binary(max_size=8),
        st.sampled_from([0, 1, 2, 80, 81, -1, 2**31, 2**53, 2**63, 10**400, math.nan, math.inf]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip
NAMES = st.one_of(
    st.sampled_from(["query", "path", "start_line", "end_line", "name", "self", "root"]), st.text(max_size=9)
)
TOOL_NAMES = st.one_of(
    st.sampled_from(["search_repository", "read_file", "inspect_symbol", "finish"]), st.text(max_size=9)
)
CODE = st.sampled_from(
    [
        "def f(): return f()\n",
        "class K:\n    def m(self): self.x = K()\n",
        "def f(:\n",
        "\x00",
        "\ufeffx = 1\r\n",
        "(" * 300,
    ]
)
CONTENTS = st.one_of(CODE.map(str.encode), st.binary(max_size=80), st.text(max_size=80).map(lambda text: text.encode()))
FILES = st.dictionaries(st.sampled_from(["a.py", "b/c.txt", "d.pyi"]), CONTENTS, max_size=3)
CALLS = st.tuples(TOOL_NAMES, st.dictionaries(NAMES, VALUES, max_size=4))


def tools_over(files):
    return SnapshotTools(SourceTree.of(files))


def hold(files, call):
    """The law itself: an observation that is bounded, canonical, the same again, and of whole characters."""
    seen, again = observe(tools_over(files), *call), observe(tools_over(files), *call)
    assert seen.fingerprint == again.fingerprint
    assert len(seen.output.encode()) <= 8_000
    assert seen.output.count("\n") < 120
    assert len(json.dumps(seen.call.body())) <= 60_000
    assert seen.status == "ok" or (len(seen.output) <= 300 and seen.output.isprintable() and not seen.truncated)


@settings(max_examples=250, deadline=None)
@given(FILES, CALLS)
def test_every_call_has_a_bounded_and_repeatable_answer(files, call):
    """Any tool name, any argument names, any values, over any files."""
    hold(files, call)


@pytest.mark.slow
def test_a_minute_of_calls_finds_no_other_answer():
    """The same law, in rounds until sixty seconds have passed."""
    ends, examples = time.monotonic() + FUZZ_SECONDS, 0

    @settings(max_examples=2_000, deadline=None, database=None)
    @given(FILES, CALLS)
    def law(files, call):
        nonlocal examples
        examples += 1
        hold(files, call)

    while time.monotonic() < ends:
        law()
    assert examples >= 2_000
