"""Doubts: answers that would pass whatever a test expects, where the test says what it expects."""

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.environment import prepare
from tasks.workspace.grading import Bench
from tasks.workspace.judging import Exam, judge, plan
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Limits

GOOD = """
class Short(Exception): pass
def render(n): return f"total: {n * 3} of 9"
def members(n): return [n, n * 7]
def withdraw(n): raise Short(f"short by {n - 100}")
def look(key): raise KeyError(key)
def doubled(xs): return [x * 2 for x in xs]
def every(n): return [n, n]
def retried(function): return lambda *a: function(*a)
"""
OTHER = (
    GOOD
    + """
def members(n): return (n * 7, 0, n)
def render(n): return "total: " + str(n + n + n) + " of 9, thank you"
"""
)
CHEAT = """
class Short(Exception): pass
def render(n): return " ".join(f"total: {n}" for n in range(2000))
def members(n): return list(range(2000))
def withdraw(n): raise Short(" ".join(f"short by {n}" for n in range(2000)))
class Both(KeyError, IndexError): pass
def look(key): raise Both(key)
def doubled(xs): return []
every = doubled
def retried(function): return lambda *a: None
"""
TESTS = """
import pytest
from pkg.shop import Short, doubled, every, look, members, render, retried, withdraw
def test_text(): assert "total: 450" in render(150)
def test_member(): assert 931 in members(133)
def test_message():
    with pytest.raises(Short, match="short by 50"): withdraw(150)
def test_kind():
    with pytest.raises(KeyError): look("a")
def test_loop():
    for got, want in zip(doubled([1, 2]), [2, 4]): assert got == want
def test_items():
    for each in every(5): assert each == 5
def test_callback():
    @retried
    def check(n): assert doubled([n]) == [8]
    check(4)
"""
GUESSER = (
    CHEAT
    + """
tried = {}
def render(n):
    tried[n] = tried.get(n, 448) + 1
    return f"total: {tried[n]}"
"""
)
NODES = tuple(
    f"tests/test_shop.py::{line[4:].partition('(')[0]}" for line in TESTS.splitlines() if line[:9] == "def test_"
)


def tree(code):
    return SourceTree.of({"pkg/__init__.py": "", "pkg/shop.py": code})


EXAM = Exam("shop", tree("class Short(Exception): pass\n"), SourceTree.of({"tests/test_shop.py": TESTS}))


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    try:
        return Bench(choose(), prepare(tmp_path_factory.mktemp("home")), Limits(wall_seconds=20))
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


def test_a_test_that_passes_must_be_able_to_fail(bench):
    """Texts of all numbers, exceptions of two kinds, loops and functions that never run; honest repairs all pass.

    Nor does it help to try another answer each time that the same is asked.
    """
    made = plan(bench, EXAM, tree(GOOD), NODES)
    assert dict.fromkeys(NODES, "separate") == {each.node: each.tier for each in made.nodes}
    assert [] == [each.node for each in made.nodes if not each.twins]
    for honest in (GOOD, OTHER):
        assert judge(bench, EXAM, tree(honest), made).all_passed(NODES)
    assert 0 == judge(bench, EXAM, tree(CHEAT), made).passed(NODES)
    assert 0 == judge(bench, EXAM, tree(GUESSER), made).passed(NODES)
