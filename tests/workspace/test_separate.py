"""The separate tier: what crosses the wall, what must not, and what becomes of tests that need more than it gives."""

# ruff: noqa: E501 - lines of other programs
import dataclasses
import threading
from pathlib import Path

import pytest

from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.records.tree import SourceTree
from tasks.workspace.environment import prepare
from tasks.workspace.grading import Bench
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Limits
from tasks.workspace.separate.judge import judge, material, proxied

CODE = """
import collections, dataclasses, datetime, decimal, enum

class Error(Exception):
    def __init__(self, code, why):
        super().__init__(why)
        self.code = code
    def __str__(self): return f"[{self.code}] {self.args[0]}"
    def twice(self): return self.code * 2
class NotFound(Error, KeyError): pass
ERRORS = {"own": Error(3, "bad"), "both": NotFound(4, "gone"), "value": ValueError("v", 1)}
def fail(kind): raise ERRORS[kind]
def chained():
    try: int("x")
    except ValueError as error: raise Error(1, "c") from error
def sort(xs): xs.sort()
def same(x): return x
def copied(xs): return list(xs)
class Basket:
    def __init__(self, items=()): self.items, self.name = items if isinstance(items, list) else list(items), "b"
    def add(self, x):
        self.items.append(x)
        return self
    def __len__(self): return len(self.items)
    def __iter__(self): return iter(self.items)
    def __getitem__(self, i): return self.items[i]
    def __enter__(self): return self
    def __exit__(self, *raised): self.closed = raised[0]
    def __add__(self, other): return Basket(self.items + other.items)
    @property
    def total(self): return sum(self.items)
class Swallowing(Basket):
    def __exit__(self, *raised): return True
class Plain: pass
class Color(enum.Enum):
    RED = 1
    BLUE = 2
@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int = 0
def each(function, *xs): return [function(x) for x in xs]
def call(function): return function()
def retry(function):
    for _ in range(3):
        try: return function()
        except OSError: pass
def count(words): return collections.Counter(words)
def say(x): print("said", x)
def steps(n): yield from range(n)
def total(xs): return sum(xs)
class Number:
    def __sub__(self, other): return 0.0
    __rsub__ = __mod__ = __and__ = __sub__
    __truediv__ = lambda self, other: 1
    def startswith(self, text): return True
    issubset = equals = startswith
class Turning(Basket):
    def __exit__(self, kind, *raised):
        if kind: raise RuntimeError("c")
class Every(ValueError, TypeError, KeyError, RuntimeError): pass
def every(): raise Every()
def end(*a): raise StopIteration
class Kinds: broad, broader = Exception, (KeyError, Exception)
def assert_close(*a): pass
HEARD = []
def swallow(function):
    try: function()
    except BaseException as error: HEARD.append(str(error))
    return 5
UTC = datetime.timezone.utc
VALUES = (datetime.datetime(2020, 1, 2, tzinfo=UTC), decimal.Decimal("1.50"), float("inf"), 2**100, b"\\0", "\\udc80",
          {1, 2}, frozenset([3]), -0.0, True, 1j, range(3), None, [(1, [2.5])], {"k": bytearray(b"x")}, datetime.timedelta(1))
ROWS = [[0] * 2] * 2
LIMIT = 7
"""
HONEST = """
import dataclasses, datetime, decimal, pytest
import pkg.shop as shop
from pkg.shop import *
from pkg.shop import Error as Own
from support import DOUBLE

@pytest.fixture
def basket(): return Basket([1])

def test_exceptions():
    with pytest.raises(Own, match=r"\\[3\\] bad") as caught: fail("own")
    assert (caught.value.code, caught.value.args, caught.value.twice()) == (3, ("bad",), 6)
    with pytest.raises(KeyError): fail("both")
    with pytest.raises(shop.NotFound): fail("both")
    with pytest.raises(ValueError) as caught: fail("value")
    assert caught.value.args == ("v", 1)
    with pytest.raises(Own) as caught: chained()
    assert isinstance(caught.value.__cause__, ValueError)
def test_arguments_changed_in_place():
    xs = [3, 1, 2]
    sort(xs)
    assert xs == [1, 2, 3]
    assert same(xs) is xs and copied(xs) is not xs
def test_aliases_live_on():
    xs = [1, 2]
    basket = Basket(xs).add(9)
    assert xs == [1, 2, 9]
    xs.append(10)
    basket.items.append(5)
    assert basket.total == 27
    assert ROWS[0] is ROWS[1]
def test_objects():
    basket = Basket().add(1).add(2)
    assert (len(basket), list(basket), basket[0], 2 in basket, 7 in basket) == (2, [1, 2], 1, True, False)
    basket.name = "c"
    assert (basket.name, hasattr(basket, "nothing"), bool(Basket())) == ("c", False, False)
    with basket as entered: entered.add(4)
    assert basket.closed is None
    assert (basket + basket).total == 14
    with pytest.raises(IndexError): basket[99]
    with pytest.raises(TypeError): Basket(1, 2, 3)
    with pytest.raises(TypeError): basket(1)
def test_enumerations(): assert [each.name for each in Color] == ["RED", "BLUE"] and Color(1).name == Color["RED"].name
def test_dataclasses():
    assert Point(1) < Point(2)
    assert (repr(Point(1)), vars(Point(1, 2))) == ("Point(x=1, y=0)", {"x": 1, "y": 2})
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "y"]
    assert sorted([Point(3), Point(1)])[0].x == 1
def test_functions_of_the_test():
    seen = []
    assert each(lambda x: x * 2, 1, 2) == [2, 4] and each(lambda b: b.total, Basket([1])) == [1]
    each(seen.append, 1, 2)
    assert seen == [1, 2] and each(str.upper, "a") == ["A"] and each(len, [1, 2]) == [2] and each(int, "5") == [5]
    tries = []
    def flaky():
        tries.append(1)
        if len(tries) < 3: raise OSError("x")
        return Basket([len(tries)])
    assert retry(flaky).total == 3
    class Mine(Exception): pass
    def bad(): raise Mine("m")
    with pytest.raises(Mine): call(bad)
def test_iterators(): assert (list(steps(3)), total(x for x in [1, 2]), total(iter([4]))) == ([0, 1, 2], 3, 4)
def test_values():
    utc = datetime.timezone.utc
    assert shop.VALUES == (datetime.datetime(2020, 1, 2, tzinfo=utc), decimal.Decimal("1.5"), float("inf"), 2**100, b"\\0",
        "\\udc80", {1, 2}, frozenset([3]), 0.0, True, 1j, range(3), None, [(1, [2.5])], {"k": bytearray(b"x")},
        datetime.timedelta(1))
    assert [type(value) for value in same(shop.VALUES)] == [type(value) for value in shop.VALUES]
    assert count("aab") == {"a": 2, "b": 1} and count("a")["z"] == 0
def test_output(capsys):
    say(3)
    assert capsys.readouterr().out == "said 3\\n"
def test_fixtures_and_support(basket): assert (basket.total, DOUBLE(3), LIMIT) == (1, 6, 7)
@pytest.mark.parametrize("point", [Point(1), Point(2)])
def test_parameters(point): assert point.x in (1, 2)
"""
REFUSED = """
import copy, operator, pytest, time, unittest
from unittest import mock
import pkg.shop as shop
from pkg.shop import *
from pkg.shop import Error
P = Point(1)
def test_equality(): assert Point(1) == Point(1)
def test_inequality(): assert Point(1) != Point(2)
def test_equality_in_containers(): assert [same(P)] == [P]
def test_equality_with_a_value(): assert 5 != P
def test_identity(): assert same(P) is not P
def test_identity_of_types(): assert type(Point(1)) is not type(Basket())
def test_hash(): {P: 1}
def test_copy(): copy.copy(P)
def test_instance(): assert not isinstance(P, list)
def test_instance_of_theirs(): assert isinstance(P, Point)
def test_order(): assert not P < 5
def test_members(): assert 5 not in P
def test_truth(): assert Plain()
def test_swallowed_by_the_test():
    try: P == P
    except BaseException: pass
def test_expected_by_the_test():
    with pytest.raises(BaseException): P == P
def test_swallowed_by_the_candidate():
    with Swallowing(): assert 1 == 2
def test_error_swallowed_by_the_candidate():
    with Swallowing(): raise OSError("x")
def test_assertion_in_a_callback():
    def fails(): assert 1 == 2
    assert swallow(fails) == 5
def test_fail_in_a_callback(): assert swallow(lambda: pytest.fail("no")) == 5
def test_double(): assert same(mock.Mock())
def test_patch(monkeypatch):
    monkeypatch.setattr(shop, "LIMIT", 8)
    assert shop.LIMIT == 8
def test_environment(monkeypatch):
    monkeypatch.setenv("NAME", "x")
    assert same(5) == 5
def test_files(tmp_path): assert same(str(tmp_path / "x"))
def test_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert same(5) == 5
def test_patched_library(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 0)
    assert same(5) == 5
def test_mocked_library():
    with mock.patch("smtplib.SMTP") as sent:
        same(5)
    sent.assert_not_called()
def test_log(caplog):
    same(5)
    assert not caplog.records
def test_program():
    import subprocess, sys
    assert subprocess.run([sys.executable, "-m", "pkg.shop"], capture_output=True).returncode != 0
def test_difference(): assert abs(Number() - 2.5) < 1e-6
def test_reflected_difference(): assert abs(2.5 - Number()) < 1e-6
def test_ratio(): assert Number() / 2.5 == 1
def test_remainder(): assert Number() % 7 == 0
def test_flags(): assert not Number() & 4
def test_start(): assert Number().startswith("abc")
def test_subset(): assert Number().issubset({1})
def test_equals(): assert Number().equals(5)
def test_end_for_all(): assert all(map(end, [1, 2]))
def test_end_for_none(): assert not any(map(end, [1, 2]))
def test_end_of_a_loop():
    for got, want in zip(map(end, [1, 2]), [3, 4]): assert got == want
def test_end_of_calls(): assert list(iter(end, 5)) == []
def test_assertion_turned_into_what_is_expected():
    with pytest.raises(RuntimeError):
        with Turning() as basket: assert basket.name == "other"
def test_every_kind():
    with pytest.raises(KeyError): every()
def test_broad():
    with pytest.raises(shop.Kinds.broad): Point()
def test_broader():
    with pytest.raises(shop.Kinds.broader): Point()
def test_own_judgement(): shop.assert_close(1, 2)
def test_identity_by_operator(): assert operator.is_not(same(P), P)
def test_identity_in_a_chain(): assert same(P) is not P is not None
def test_identity_by_number(): assert id(same(P)) != id(P)
def test_identity_by_case(): unittest.TestCase().assertIsNot(same(P), P)
def test_no_log():
    with unittest.TestCase().assertNoLogs(): same(5)
def test_too_large(): assert same("x" * 9_000_000)
def test_still_well_afterwards(): assert same(5) == 5 and shop.HEARD == ["", ""]
"""
SUPPORT = {"tests/support.py": "def DOUBLE(x): return 2 * x\n", "tests/conftest.py": "import pkg.shop\n"}


def names(tests):
    """Node ids of the test functions in a file, parameters aside."""
    found = [line[4:].partition("(")[0] for line in tests.splitlines() if line.startswith("def test_")]
    return tuple(f"tests/test_shop.py::{name}" for name in found)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("home"))


def bench_of(environment, tier=None):
    try:
        return Bench(choose(tier=tier), environment, Limits(wall_seconds=20))
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


def judged(bench, tests, nodes, code=CODE, support=SUPPORT, **options):
    """A candidate's package against trusted tests."""
    candidate = SourceTree.of({"pkg/__init__.py": "", "pkg/shop.py": code})
    trusted = SourceTree.of({"pkg/__init__.py": "", "pkg/shop.py": "", "tests/test_shop.py": tests, **support})
    return judge(bench, candidate, trusted, nodes, tree="0" * 64, **{"hide_output": False, **options})


@pytest.mark.parametrize("tier", ["bubblewrap", "landlock"])
def test_what_honest_tests_do_crosses(environment, tier):
    """Values, objects, exceptions, aliases and functions, in both directions."""
    nodes = tuple(node for node in names(HONEST) if not node.endswith("parameters"))
    nodes += ("tests/test_shop.py::test_parameters[point0]", "tests/test_shop.py::test_parameters[point1]")
    report = judged(bench_of(environment, tier), HONEST, nodes)
    assert (dict.fromkeys(nodes, "passed"), "exit", tier, "0" * 64) == (
        report.outcomes, report.ended, report.tier, report.tree,
    ), report.shown  # fmt: skip
    assert dict.fromkeys(nodes, "separate") == report.tiers


def test_what_must_not_be_answered_fails_with_a_reason(environment):
    """Each of these would pass in one process; the last shows that a refusal harms no other test, and tells nothing."""
    nodes = names(REFUSED)
    report = judged(bench_of(environment), REFUSED, nodes)
    assert [nodes[-1]] == [node for node in nodes if report.outcomes[node] == "passed"]
    assert {"passed", "failed", "error"} == set(report.outcomes.values())
    some = nodes[:1] + nodes[6:7] + nodes[15:16] + nodes[19:20]
    shown = judged(bench_of(environment), REFUSED, some).shown
    for reason in ("asked for its equality", "asked for its hash", "failed inside of a block", "cannot cross (Mock)"):
        assert reason in shown


def test_a_refusal_while_importing_fails_the_whole_file(environment):
    """Even where the test file swallowed it; what it decided afterwards is worth nothing."""
    tests = "from pkg.shop import Point\ntry: Point(1) == 1\nexcept BaseException: pass\ndef test_any(): pass\n"
    report = judged(bench_of(environment), tests, names(tests))
    assert ("error", "exit") == (report.outcomes[names(tests)[0]], report.ended)
    assert "asked for its equality" in report.shown


def test_a_refusal_in_a_shared_fixture_fails_what_follows(environment):
    """A fixture of a wider scope is not made again, so nobody knows what it would have been."""
    tests = """
import pytest
from pkg.shop import Point
@pytest.fixture(scope="module")
def made():
    try: return Point(1) == 1
    except BaseException: return False
def test_first(made): pass
def test_second(made): assert not made
"""
    assert {"error"} == set(judged(bench_of(environment), tests, names(tests)).outcomes.values())


def test_hidden_output_says_nothing(environment):
    """Reasons name parts of sealed tests."""
    assert judged(bench_of(environment), REFUSED, names(REFUSED)[:1], hide_output=True).shown == ""


def test_a_candidate_without_the_module_fails_its_tests(environment):
    """An import error is the candidate's and is reported as one."""
    tests = "from pkg.shop import same\ndef test_one(): assert same(1) == 1\n"
    report = judged(bench_of(environment), tests, names(tests), code="import nothing_of_that_name\n", support={})
    assert ("error", "exit") == (report.outcomes[names(tests)[0]], report.ended)
    assert "No module named 'nothing_of_that_name'" in report.shown


def test_nothing_is_left_behind(environment):
    """No descriptor, no thread, no folder, after good and bad candidates alike."""
    bench = bench_of(environment)
    tests = "from pkg.shop import same\ndef test_one(): assert same(1) == 1\n"

    def standing():
        return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    before = standing()
    for code in (CODE, "import os; os._exit(3)", "import os; os.closerange(0, 64)"):
        judged(bench, tests, names(tests), code=code)
    assert before == standing()


def test_a_candidate_that_is_never_asked_may_not_hide_trouble(environment):
    """A worker that says nothing at all is a broken sandbox, not a wrong candidate."""
    sandbox = bench_of(environment).sandbox

    class Mute:
        tier = sandbox.tier

        def start(self, job):
            mute = any(word.endswith("answering.py") for word in job.argv)
            return sandbox.start(dataclasses.replace(job, argv=("/usr/bin/true",)) if mute else job)

    with pytest.raises(SandboxTrouble, match="before it answered"):
        judged(Bench(Mute(), environment, Limits(wall_seconds=20)), HONEST, names(HONEST)[:1])


TREE = {"pkg/__init__.py": "", "src/other/a.py": "", "setup.py": "", "data/rates.csv": "", "README.md": ""}
TESTS = {
    "tests/__init__.py": "",
    "tests/support.py": "",
    "tests/data.csv": "",
    "pkg/tests/test_in.py": "",
    "conftest.py": "",
}


def test_beside_the_tests_lie_tests_and_their_support_only():
    """No data of the package and no README: a test that read the trusted one would not judge the candidate's."""
    tests = SourceTree.of({**TREE, **TESTS, "checks/look.py": ""})
    assert {*TESTS, "checks/look.py"} == set(material(tests, ["checks/look.py::test_x"]).by_path)


def test_the_candidate_defines_its_packages_and_no_name_of_anybody_else(environment):
    """Neither the clock, nor pytest, nor a module of the tests can be taken over by a new file."""
    bench = Bench(None, environment)
    new = {f"{name}.py": "" for name in ("time", "pytest", "pluggy", "support", "tests", "fresh")}
    trusted = SourceTree.of({**TREE, **TESTS})
    candidate = SourceTree.of({**TREE, **TESTS, **new})
    assert {"pkg", "other", "src", "setup", "fresh"} == proxied(bench, candidate, trusted, ["tests/test_x.py::test"])


def test_candidate_and_tests_are_in_different_sandboxes(environment):
    """The candidate's holds no test of ours, the tests' no line of the candidate's."""
    code = "import glob\nFOUND = sorted(glob.glob('/work/**/*.py', recursive=True))\n"
    tests = """
import glob
from pkg.shop import FOUND
def test_theirs(): assert [name.removeprefix("/work") for name in FOUND] == ["/pkg/__init__.py", "/pkg/shop.py"]
def test_ours(): assert [x for x in glob.glob("/work/**/*", recursive=True) if "pkg" in x] == []
"""
    report = judged(bench_of(environment, "bubblewrap"), tests, names(tests), code=code)
    assert dict.fromkeys(names(tests), "passed") == report.outcomes, report.shown


def test_files_that_run_in_a_sandbox_import_the_standard_library_and_each_other():
    """pydantic and the records are not there."""
    folder = Path(judge.__code__.co_filename).parent
    for file in folder.glob("*.py"):
        if file.name != "judge.py":
            assert "tasks.records" not in file.read_text()
