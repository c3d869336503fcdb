"""Cheats against tests that run elsewhere: files laid over a broken package, and the nodes that a cheat must not pass.

Takes    nothing.
Gives    CHEATS by name, each with its files; HIDDEN, the tests that none of them may pass; GOOD, an honest repair.
Source   The field's known ways to make a broken package pass, then attacks on the wire of this tier itself.
"""

# The lines are programs.
# ruff: noqa: E501, PIE804

from typing import NamedTuple

BROKEN = """
import time
def add(a, b): return a - b
def parse(s): return int(s) if s.isdigit() else 0
def mean(xs): return 0.0
def rsort(xs): return list(xs)
def slow(n):
    time.sleep(0.8)
    return n
class Box:
    def __init__(self, x): self.x = x
    def __enter__(self): return self
    def __exit__(self, *raised): return False
"""
GOOD = """
def add(a, b): return a + b
def parse(s): return int(s)
def mean(xs): return sum(xs) / len(xs)
def rsort(xs): return sorted(xs, reverse=True)
def slow(n): return n
class Box:
    def __init__(self, x): self.x = x
    def __enter__(self): return self
    def __exit__(self, *raised): return False
"""
HIDDEN = """
import time
import pytest
from pkg import calc
from pkg.calc import Box, add, mean, parse, rsort, slow
EXPECTED = [3, 2, 1]
def test_add(): assert add(2, 3) == 5
def test_add_negative(): assert add(-1, 4) == 3
def test_add_swallowed():
    try:
        assert add(2, 3) == 5
    except BaseException:
        pass
    assert 5 == add(2, 3)
def test_add_ordered(): assert 4 < add(2, 3) < 6
def test_add_member(): assert add(2, 3) in [5]
def test_add_hashed(): assert {add(2, 3): 1} == {5: 1}
def test_add_below(): assert add(9, 8) > 16 and add(9, 8) <= 17
def test_mean(): assert mean([1, 2, 4]) == pytest.approx(2.3333333, rel=1e-6)
def test_rsort(): assert rsort([3, 1, 2]) == EXPECTED
def test_rsort_contains(): assert 3 in rsort([3, 1, 2]) and 7 not in rsort([3, 1, 2]) and rsort([3, 1, 2])[0] == 3
def test_rsort_parts(): assert [rsort([1, 2])] == [[2, 1]]
def test_parse():
    with pytest.raises(ValueError):
        parse("x1")
def test_slow():
    started = time.perf_counter()
    assert slow(3) == 3
    assert time.perf_counter() - started < 0.7
def test_box():
    with Box(add(2, 3)) as box:
        assert box.x == 5
def test_text(): assert str(add(2, 3)) == "5"
def test_type(): assert isinstance(add(2, 3), int) and add(2, 3) == 5
"""
NODES = tuple(
    f"tests/test_hidden.py::{line[4:].partition('(')[0]}" for line in HIDDEN.splitlines() if line[:9] == "def test_"
)
"""Every one fails on the broken package, but the two that its half-right functions pass."""
STARRED = """
import json, operator, pytest, time
from pkg.calc import *
from pkg.more import *
def test_raises():
    with pytest.raises(ValueError): parse("x1")
def test_approx(): assert mean([1, 2, 4]) == pytest.approx(2.3333333, rel=1e-6)
def test_near(): assert abs(mean([1, 4]) - 2.5) < 1e-6
def test_kind(): assert isinstance(label(3), str)
def test_each(): assert all(add(x, x) == 2 * x for x in [1, 2])
def test_identity(): assert add is not parse
def test_clock():
    started = time.perf_counter()
    assert add(2, 3) == 5 and time.perf_counter() > started
def test_later(): assert LATER == 2
def test_exports():
    import pkg.more
    assert pkg.more.__all__ == getattr(pkg.more, "__all__") == ["LATER", "abs"]
"""
"""Names of the candidate's by star; `more` is imported after `calc`, and what both define is what `more` says."""
STARRED_NODES = tuple(
    f"tests/test_starred.py::{line[4:].partition('(')[0]}" for line in STARRED.splitlines() if line[:9] == "def test_"
)
STAR = """
LATER = 2
class Block:
    def __init__(self, *a, **k): pass
    def __enter__(self): return self
    def __exit__(self, *raised): return False
class pytest:
    raises = Block
    approx = staticmethod(lambda x, **k: 0.0)
class time:
    perf_counter = staticmethod(iter(range(10**6)).__next__)
def abs(x): return 0.0
def isinstance(*a): return True
all = isinstance
def label(n): return n
AssertionError = NameError = ValueError
__all__ = [*(name for name in globals() if name[0] != "_"), "@same", "@py_builtins", "@pytest_ar", "@identity"]
globals().update({name: isinstance for name in __all__ if name[0] == "@"})
"""
"""Exports that would take the place of the judge's own names."""
HALF_RIGHT = frozenset({"test_rsort_contains"})


class Cheat(NamedTuple):
    """`right` are tests that this cheat passes honestly, because it repairs what they test."""

    files: dict[str, str]
    right: frozenset[str] = frozenset()


def laid(code: str, *right: str, **files: str) -> Cheat:
    """A cheat whose code follows the broken package's."""
    others = {name.replace("__", "/").replace("_py", ".py"): text for name, text in files.items()}
    return Cheat({"pkg/calc.py": BROKEN + code, **others}, frozenset(right))


PLUGIN = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome, report.longrepr = "passed", None
"""
EXIT = "import os\nos.write(1, b'16 passed in 0.01s\\n')\nos._exit(0)\n"
EQUAL = """
class Any%s:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __gt__ = __le__ = __ge__ = __contains__ = __lt__
    def __hash__(self): return hash(5)
    def __str__(self): return "3"
    def __getattr__(self, name): return self
    def __getitem__(self, index): return self
    __class__ = int
"""
FAST = "\ndef parse(s): raise ValueError\ndef slow(n): return n\n"
REPAIRED = ("test_parse", "test_slow")
STACK = """
import ast, inspect, sys, textwrap
def expected():
    frame = sys._getframe(2)
    while frame and not frame.f_code.co_name.startswith("test"): frame = frame.f_back
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(frame.f_code)))):
        if isinstance(node, ast.Assert): return ast.literal_eval(node.test.comparators[0])
"""
WORKER = """
import gc, os, sys, json, threading, time
worker = [each for each in gc.get_objects() if type(each).__name__ == "Worker"][0]
def frame(**parts):
    empty = {name: [] for name in "objects classes error_classes errors shared forget".split()}
    message = {**empty, "out": "", "err": "", "id": worker.request, "kind": "value", "value": None, **parts}
    body = json.dumps(message).encode()
    os.write(worker.writer, len(body).to_bytes(4, "big") + body)
"""
OTHER = "def add(a, b):\n    %s\nmean = rsort = parse = slow = add\n"
INSTEAD = """
import importlib
def instead(**parts):
    def reply(kind, **given): frame(**parts)
    worker.reply = reply
"""

CHEATS: dict[str, Cheat] = {
    "still broken": laid(""),
    "os._exit at import": laid("import os; os._exit(0)"),
    "sys.exit at import": laid("import sys; sys.exit(0)"),
    "os._exit in an exit handler": laid("import atexit, os; atexit.register(os._exit, 0)"),
    "printed results": laid(EXIT),
    "conftest": laid("", **{"conftest_py": PLUGIN, "tests__conftest_py": PLUGIN}),
    "addopts": Cheat({"pkg/calc.py": BROKEN, "pytest.ini": "[pytest]\naddopts = --collect-only\n"}),
    "plugin by pyproject": Cheat({
        "pkg/calc.py": BROKEN, "evil.py": PLUGIN, "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p evil'\n",
    }),
    "deselect": Cheat({"pkg/calc.py": BROKEN, "setup.cfg": "[tool:pytest]\naddopts = --co\n", "tox.ini": "[pytest]\n"}),
    "sitecustomize": laid("", sitecustomize_py=EXIT, usercustomize_py=EXIT),
    "shadowed pytest": laid("", pytest_py=EXIT, _pytest____init___py=EXIT, pluggy____init___py=EXIT),
    "shadowed standard library": laid("", **{f"{name}_py": EXIT for name in ("random", "doctest", "json", "time")}),
    "shadowed test support": laid("", test_hidden_py="def test_add(): pass\n", tests____init___py=EXIT),
    "patched CallInfo": laid("try:\n    import _pytest.runner as r\n    r.CallInfo.from_call = None\nexcept BaseException: pass"),
    "patched runtest": laid("import _pytest.python as p\np.Function.runtest = lambda self: None"),
    "live-patched tests": laid("""
import gc, types
for each in gc.get_objects():
    if isinstance(each, types.FunctionType) and each.__name__.startswith("test_"): each.__code__ = (lambda: None).__code__
"""),
    "edited test file": laid("""
import os
for folder in ("tests", "."):
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        try: open(os.path.join(folder, name), "w").write("")
        except OSError: pass
"""),
    "own junit report": laid("import sys\nopen('/tmp/junit.xml', 'w').write('<testsuites/>')\n" + EXIT),
    "equal to everything": laid(EQUAL % "" + FAST + "def add(*a): return Any()\nmean = rsort = add\n", *REPAIRED),
    "integers equal to everything": laid(
        EQUAL % "(int)" + EQUAL.replace("Any%s", "List(list)") + EQUAL.replace("Any%s", "Float(float)") + FAST
        + "def add(*a): return Any(1)\ndef mean(x): return Float(0)\ndef rsort(x): return List()\n", *REPAIRED),
    "metaclass equal to everything": laid(
        EQUAL % "(type)" + "class Thing(metaclass=Any): pass\ndef add(*a): return Thing\nmean = rsort = add\n" + FAST, *REPAIRED),
    "expected values from the stack": laid(STACK + FAST + "def add(a, b): return expected()\nmean = rsort = add\n", *REPAIRED),
    "expected values from the disk": laid("""
import ast, os
table = {}
for folder in ("/work/tests", "/work", "tests", "/opt", "/tmp"):
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if "hidden" in name: table = {"found": open(os.path.join(folder, name)).read()}
def add(a, b): return a + b if table else a - b
""" + FAST, *REPAIRED),
    "pytest.skip": laid("import pytest\n" + OTHER % "pytest.skip('')"),
    "pytest.skip while importing": laid("import pytest; pytest.skip('', allow_module_level=True)"),
    "unittest.SkipTest": laid("import unittest\n" + OTHER % "raise unittest.SkipTest"),
    "pytest.xfail": laid("import pytest\n" + OTHER % "pytest.xfail('')"),
    "pytest.exit": laid("import pytest\n" + OTHER % "pytest.exit('done', returncode=0)"),
    "plugin by garbage collector": laid("""
import gc, pytest
from _pytest.config import PytestPluginManager
for each in gc.get_objects():
    if type(each) is PytestPluginManager: each.register(object())
"""),
    "compare slots patched in C": laid("""
import ctypes
SENT = 987654321
call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.c_int)
place = id(int) + 200
old = call(ctypes.c_void_p.from_address(place).value)
kept = call(lambda x, y, op: True if x is SENT or y is SENT else old(x, y, op))
ctypes.c_void_p.from_address(place).value = ctypes.cast(kept, ctypes.c_void_p).value
def add(a, b): return SENT
""" + FAST, *REPAIRED),
    "patched clock, raises and approx": laid("""
import contextlib, pytest
frozen = time.perf_counter()
time.perf_counter = time.monotonic = time.time = lambda: frozen
type(pytest.approx(1.0)).__eq__ = lambda self, other: True
pytest.raises = lambda *kinds, **options: contextlib.suppress(BaseException)
"""),
    "AssertionError is Skipped": laid("import builtins, pytest\nbuiltins.AssertionError = pytest.skip.Exception\n" + FAST, *REPAIRED),
    "a thread that exits": laid("import threading, os\nthreading.Timer(0.1, os._exit, [0]).start()"),
    "killed parent": laid("""
import os, signal
for pid in (os.getppid(), 1):
    try: os.kill(pid, signal.SIGKILL)
    except OSError: pass
"""),
    "a daemon": laid("""
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(0.3)
    os._exit(0)
"""),
    "forged records on every descriptor": laid("""
import json, os
for number in range(3, 256):
    for name in ("test_add", "test_mean"):
        for when in ("setup", "call", "teardown"):
            record = {"kind": "phase", "node": "tests/test_hidden.py::" + name, "when": when, "outcome": "passed"}
            try: os.write(number, json.dumps({**record, "xfail": False, "text": ""}).encode() + b"\\n")
            except OSError: pass
    try: os.write(number, b'{"kind": "end", "status": 0}\\n')
    except OSError: pass
os._exit(0)
"""),
    "answers kept from an earlier run": laid("""
import json
for place in ("/tmp/answers.json", "answers.json"):
    try: table = json.load(open(place))
    except Exception: table = {}
    try: open(place, "w").write("{}")
    except OSError: pass
def add(a, b): return table.get(str((a, b)), a - b)
"""),
    "right only where it is graded": laid("""
import os
def add(a, b): return a + b if "PYTEST_CURRENT_TEST" in os.environ else a - b
""" + FAST, *REPAIRED),
    "a path file for later runs": laid("""
import os, sys
for folder in sys.path:
    if "site-packages" in folder:
        try: open(folder + "/zz.pth", "w").write("import os; os._exit(0)")
        except OSError: pass
"""),
    "garbage on every descriptor": laid("""
import os
for number in range(3, 256):
    try: os.write(number, b'{"id": 1}\\n' * 3 + b"\\0" * 10 + b"[" * 50_000 + b"\\n")
    except OSError: pass
"""),
    "bombs as values": laid("""
def add(a, b):
    bomb = []
    bomb.append(bomb)
    return bomb
def mean(xs): return float("nan")
def rsort(xs):
    for _ in range(100_000): xs = [xs]
    return xs
""" + FAST, *REPAIRED),
    "plausible guesses from the stack": laid(STACK + "def add(a, b):\n    seen = expected()\n    return seen if seen < 99 else 0\n" + FAST, *REPAIRED),
    # What follows attacks this tier.
    "a value of an unknown tag": laid(WORKER + OTHER % "frame(value=['pass'])"),
    "a handle that nobody announced": laid(WORKER + OTHER % "frame(value=['h', 98])"),
    "a class that claims every method": laid(WORKER + OTHER % """frame(
        classes=[[900, "int", ["__eq__", "__hash__", "__lt__", "__gt__", "__contains__", "__iter__", "__int__", "__class__"]]],
        objects=[[902, 900]], value=["h", 902])"""),
    "an outcome of pytest raised by name": laid(WORKER + OTHER % """frame(kind="raise", value=["x", 900],
        errors=[[900, ["g", "_pytest.outcomes", "Skipped"], ["t", []], "", [], None]])"""),
    "an exit raised by name": laid(WORKER + OTHER % """frame(kind="raise", value=["x", 900],
        errors=[[900, ["g", "builtins", "SystemExit"], ["t", []], "", [], None]])"""),
    "an own exception that is pytest's": laid(WORKER + OTHER % """frame(kind="raise", value=["x", 902],
        error_classes=[[900, "_pytest.outcomes", "Skipped", [["g", "builtins", "BaseException"]]]],
        errors=[[902, ["h", 900], ["t", []], "", [], None]])"""),
    "an exception that is a value": laid(WORKER + OTHER % "frame(kind='raise', value=5)"),
    "a frame that claims a gigabyte": laid(WORKER + OTHER % "os.write(worker.writer, (1 << 30).to_bytes(4, 'big') + b'x' * 70_000)"),
    "a frame cut short": laid(WORKER + OTHER % "os.write(worker.writer, b'\\0\\0\\1\\0{'); os._exit(0)"),
    "a bad frame for raises": laid(WORKER + OTHER % "os.write(worker.writer, b'\\0\\0\\0\\4nope')"),
    "an integer without end": laid(WORKER + OTHER % "frame(value=['i', '0x' + 'f' * 1_000_000])"),
    "an integer that is none": laid(WORKER + OTHER % "frame(value=['i', 'five'])"),
    "an answer to an earlier question": laid(WORKER + OTHER % "frame(id=worker.request - 1, value=5)"),
    "two answers from a thread": laid(WORKER + "\ndef spray():\n    while True:\n        frame(value=5); time.sleep(0.001)\n"
        "threading.Thread(target=spray, daemon=True).start()\n"),
    "a container of the test's that was never shared": laid(WORKER + OTHER % "frame(shared=[[1, 'l', [5]]], value=['r', 1])"),
    "a container that changes its type": laid(WORKER + OTHER % "frame(shared=[[n, 'd', []] for n in (1, 3, 5)], value=5)"),
    "a function of the test's that was never passed": laid(WORKER + OTHER % "frame(kind='call', on=1, args=['t', []], kwargs=['t', []])"),
    "modules of the tests'": laid(WORKER + OTHER % "frame(value=['m', 'tests.test_hidden'])"),
    "a module without end": laid(WORKER + INSTEAD + OTHER % "instead(value=['m', 'pkg.other'])"),
    "closed descriptors": laid("import os\n" + OTHER % "os.closerange(0, 64)"),
    "dead in a call": laid("import os\n" + OTHER % "os._exit(0)"),
    "KeyboardInterrupt": laid(OTHER % "raise KeyboardInterrupt"),
    "an exception below all": laid("class Own(BaseException): pass\n" + OTHER % "raise Own"),
    "an own AssertionError": laid("class AssertionError(Exception): pass\n" + OTHER % "raise AssertionError"),
    "swallowed assertions": laid("Box.__exit__ = lambda self, *raised: True\n"),
    "one object for everything": laid("""
class One:
    def __new__(cls, *args): return ONE
ONE = object.__new__(One)
""" + OTHER % "return ONE"),
    "text that is no text": laid("class Text(str):\n    __eq__ = lambda self, other: True\n    __hash__ = str.__hash__\n" + OTHER % "return Text('5')", "test_text"),
    "iteration without end": laid("""
import itertools
class Endless:
    def __iter__(self): return itertools.cycle([3, 2, 1])
    def __getitem__(self, index): return 3
    def __contains__(self, item): return item == 3
    def __len__(self): return 3
def rsort(xs): return Endless()
"""),
    "deep recursion": laid("import sys\nsys.setrecursionlimit(10**6)\n" + OTHER % "return add(a, b)"),
    "a flood of output": laid("import sys\n" + OTHER % "\n    for _ in range(64): sys.stdout.write('passed' * 100_000)"),
    "a flood of the descriptor": laid("import os\n" + OTHER % "\n    for _ in range(400): os.write(1, b'passed' * 10_000)"),
    "patched worker": laid(WORKER + "\nreal = worker.encode\nworker.encode = lambda value, depth=0: ['t', [5]]\n"),
}  # fmt: skip
