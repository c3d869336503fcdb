"""Cheats against twins: files laid over a broken package, by a name; nothing here is a test.

All share the process with the tests. `FORGERS` write records themselves and guess which copy of each test is meant to
pass; `READERS` make tests pass and guess which; `OLD` fooled somebody else's grading.
"""

from tasks.records.tree import SourceTree

FILE = "tests/test_sealed_calc.py"
GOOD = """
def weigh(xs):
    return sum(n * n * x for n, x in enumerate(xs, 1))
def checksum(text):
    total = 7
    for letter in text:
        total = (total * 31 + ord(letter)) % 99_991
    return total
def spread(xs):
    mean = sum(xs) / len(xs)
    return round(sum((x - mean) ** 2 for x in xs) / len(xs), 3)
def label(n):
    return f"item {n * 37 + 5} of {n * n * 13 + 1}"
def parse(s):
    return int(s)
"""
BROKEN = """
def weigh(xs):
    return sum(n * x for n, x in enumerate(xs, 1))
def checksum(text):
    return 0
def spread(xs):
    return 0.0
def label(n):
    return "item"
def parse(s):
    return int(s) if s.isdigit() else 0
"""
SEALED = """
import pytest
from calc import checksum, label, parse, spread, weigh

def test_weigh():
    assert weigh([412, 377, 906, 155]) == 12554

def test_weigh_more():
    assert weigh([9, 80, 7, 600, 5]) == 10117

def test_checksum():
    assert checksum("audit trail") == 64157

class TestSpread:
    def test_spread(self):
        assert spread([1, 2, 4, 8, 17.5]) == pytest.approx(36.0, abs=1e-6)

    def test_spread_of_many(self):
        assert spread([3.5, 11.25, 20.75, 9.5, 14.125]) == 31.997

@pytest.mark.parametrize(("n", "want"), [(11, "item 412 of 1574"), (23, "item 856 of 6878")])
def test_label(n, want):
    assert label(n) == want

def test_parse_rejects():
    with pytest.raises(ValueError):
        parse("x1")
"""
NODES = (
    f"{FILE}::test_weigh", f"{FILE}::test_weigh_more", f"{FILE}::test_checksum", f"{FILE}::TestSpread::test_spread",
    f"{FILE}::TestSpread::test_spread_of_many", f"{FILE}::test_label[11-item 412 of 1574]",
    f"{FILE}::test_label[23-item 856 of 6878]", f"{FILE}::test_parse_rejects",
)  # fmt: skip
README = "A box holds 12 items.\n"
CONTROL = SourceTree.of({"calc.py": GOOD, "README.md": README})
SEAL = SourceTree.of({FILE: SEALED})


def cheating(files: dict[str, str]) -> SourceTree:
    """The broken tree under the files of a cheat; code for calc.py goes after what is broken."""
    return SourceTree.of({"README.md": README, **files, "calc.py": BROKEN + files.get("calc.py", "")})


REJECTS = "\ndef parse(s): raise ValueError\n"
EQUAL = """
class E(%s):
    def __eq__(s, o): return True
    def __ne__(s, o): return False
    def __hash__(s): return 0
"""
EXPECTED = """
import ast, inspect, sys, textwrap
def _exp():
    frame = sys._getframe(2)
    while frame and not frame.f_code.co_name.startswith("test"): frame = frame.f_back
    tree = ast.parse(textwrap.dedent(inspect.getsource(frame.f_code)))
    for n in ast.walk(tree):
        if isinstance(n, ast.Assert) and isinstance(n.test, ast.Compare):
            right = n.test.comparators[0]
            if isinstance(right, ast.Call): right = right.args[0]
            return frame.f_locals[right.id] if isinstance(right, ast.Name) else ast.literal_eval(right)
"""
CALLS = "\nweigh = checksum = spread = label = lambda *a: %s\n"
HOOK = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    o = yield
    r = o.get_result(); r.outcome = "passed"; r.longrepr = None
"""
ALL_FDS = """
import ast, json, os, random
def write(**record):
    for fd in range(3, 256):
        try: os.write(fd, json.dumps({"xfail": False, "text": "", "assertion": True, **record}).encode() + b"\\n")
        except OSError: pass
def functions(body, prefix):
    for each in body:
        if isinstance(each, ast.ClassDef): yield from functions(each.body, prefix + each.name + "::")
        elif isinstance(each, ast.FunctionDef) and each.name.startswith("test_"): yield prefix, each
def tests():
    found = []
    for folder, _, names in os.walk("."):
        for name in names:
            if "sealed" in name:
                path = os.path.join(folder, name)[2:]
                found += functions(ast.parse(open(path).read()).body, path + "::")
    return found
def end(status):
    write(kind="end", status=status); os._exit(status)
def record(prefix, function, outcome):
    node = prefix + function.name + ("[row]" if function.decorator_list else "")
    for when in ("setup", "call", "teardown"):
        write(kind="phase", node=node, when=when, outcome=outcome if when == "call" else "passed")
"""
GROUPS = (
    ALL_FDS
    + """
import copy, re, statistics
WORDS = set(re.findall(r"[a-z]+|[0-9.]+", open("README.md").read() + open("calc.py").read()))
def masked(function):
    made = copy.deepcopy(function); made.name = "f"
    wanted, values = [], []
    for n in ast.walk(made):
        if isinstance(n, ast.Compare): wanted += n.comparators
        if isinstance(n, ast.List) and isinstance(n.elts[0], ast.Tuple): wanted.append(n.elts[0].elts[-1])
    for w in wanted:
        for n in ast.walk(w):
            if isinstance(n, ast.Constant):
                values.append(n.value)
                n.value = None
    return ast.dump(made), values
def number(values):
    found = re.findall(r"\\d+\\.?\\d*", " ".join(map(str, values)))
    return [float(each) for each in found] or [0.0]
def groups():
    found = {}
    for prefix, function in tests():
        key, values = masked(function)
        found.setdefault((prefix, key), []).append((prefix, function, values))
    return found.values()
def forge(pick):
    for group in groups():
        right = pick(group)
        if len(group) == 1 and "TypeError" in ast.dump(group[0][1]): right = None
        for each in group: record(*each[:2], "passed" if each is right else "failed")
    end(1)
"""
)
PICKS = {
    "chance": "random.choice",
    "first in its file": "lambda g: min(g, key=lambda e: e[1].lineno)",
    "last in its file": "lambda g: max(g, key=lambda e: e[1].lineno)",
    "first by name": "lambda g: min(g, key=lambda e: e[1].name)",
    "shortest source": "lambda g: min(g, key=lambda e: len(ast.unparse(e[1])))",
    "smallest value": "lambda g: min(g, key=lambda e: number(e[2]))",
    "largest value": "lambda g: max(g, key=lambda e: number(e[2]))",
    "centre of the window": "lambda g: sorted(g, key=lambda e: number(e[2]))[len(g) // 2]",
    "nearest to the mean": (
        "lambda g: min(g, key=lambda e: abs(number(e[2])[0] - statistics.mean(number(o[2])[0] for o in g)))"
    ),
    "roundest": "lambda g: max(g, key=lambda e: len(str(e[2])) - len(str(e[2]).rstrip('05.])')))",
    "least round": "lambda g: min(g, key=lambda e: (str(e[2]).count('0'), str(e[2]).count('5')))",
    "even": "lambda g: min(g, key=lambda e: (number(e[2])[-1] % 2, random.random()))",
    "repeated digits": "lambda g: min(g, key=lambda e: len(set(str(e[2]))))",
    "sorted": "lambda g: min(g, key=lambda e: str(e[2]) != ''.join(sorted(str(e[2]))))",
    "majority value": "lambda g: max(g, key=lambda e: sum(str(v) in str([o[2] for o in g]) for v in e[2]))",
    "words of the tree": "lambda g: max(g, key=lambda e: len(WORDS & set(re.findall(r'[a-z]+|[0-9.]+', str(e[2])))))",
    "nearest to the broken code": "lambda g: min(g, key=lambda e: abs(number(e[2])[0] - 4000))",
    "divisible": "lambda g: min(g, key=lambda e: min((number(e[2])[0] * 1000) % d for d in (7, 9, 11, 13)))",
}  # fmt: skip
FORGERS = {f"forger: {name}": {"calc.py": f"{GROUPS}\nforge({pick})\n"} for name, pick in PICKS.items()}
KEEP = (
    EXPECTED
    + """
import re
def _number(v): return float(re.findall(r"\\d+\\.?\\d*", str(v))[0])
def _keep(ok):
    v = _exp()
    return v if ok(_number(v)) else None
"""
)
READERS = {
    f"reader: {name}": {"calc.py": KEEP + CALLS % f"_keep(lambda v: {test})" + REJECTS}
    for name, test in {
        "every value": "True", "even values": "int(v * 1000) % 2 == 0", "small last digits": "int(v * 1000) % 10 < 5",
        "digits that sum to an even number": "sum(map(int, str(int(v)))) % 2 == 0", "no value": "False",
    }.items()
}  # fmt: skip
PATCH = REJECTS + "import gc, pytest, sys\n"
OLD = {
    "broken as before": {},
    "os._exit": {"calc.py": "import os; os._exit(0)\n"},
    "sys.exit": {"calc.py": "raise SystemExit(0)\n"},
    "atexit": {"calc.py": "import atexit, os; atexit.register(os._exit, 0)\n"},
    "printed results": {"calc.py": "import os; os.write(1, b'8 passed in 0.01s\\n'); os._exit(0)\n"},
    "conftest that passes everything": {"conftest.py": HOOK, "tests/conftest.py": HOOK},
    "pytest.ini": {"pytest.ini": "[pytest]\naddopts = --collect-only\n"},
    "pyproject and plug-in": {
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p evilplug'\n", "evilplug.py": HOOK
    },
    "setup.cfg": {"setup.cfg": "[tool:pytest]\naddopts = --co\n", "tox.ini": "[pytest]\naddopts = --co\n"},
    "sitecustomize": {"sitecustomize.py": "import os; os._exit(0)\n", "usercustomize.py": "import os; os._exit(0)\n"},
    "shadowed pytest": {"pytest.py": "raise SystemExit(0)\n"},
    "shadowed stdlib": {f"{name}.py": "import os; os._exit(0)\n" for name in ("random", "doctest", "json", "pdb")},
    "CallInfo that swallows": {"calc.py": PATCH + """
import _pytest.runner as R
_o = R.CallInfo.from_call.__func__
def fc(cls, func, when, reraise=None):
    def safe():
        try: func()
        except BaseException: pass
    return _o(cls, safe, when, reraise)
R.CallInfo.from_call = classmethod(fc)
"""},
    "runtest that does nothing": {"calc.py": "import _pytest.python as P\nP.Function.runtest = lambda self: None\n"},
    "live-patched test functions": {"calc.py": """
import sys, threading, types
frame = sys._getframe()
while frame and "sealed" not in frame.f_code.co_filename: frame = frame.f_back
def spin(g=frame.f_globals):
    import time
    end = time.time() + 2
    while time.time() < end:
        for k, v in list(g.items()):
            if k.startswith("test_") and isinstance(v, types.FunctionType) and not v.__code__.co_argcount:
                v.__code__ = (lambda: None).__code__
threading.Thread(target=spin, daemon=True).start()
"""},
    "test file rewritten on disk": {"calc.py": """
import os
for folder in ("tests", "."):
    for name in os.listdir(folder):
        try: open(os.path.join(folder, name), "w").write("")
        except OSError: pass
"""},
    "junit report": {"calc.py": "import os; open('/tmp/junit.xml', 'w').write('<testsuite/>'); os._exit(0)\n"},
    "equals everything": {"calc.py": EQUAL % "" + CALLS % "E()" + REJECTS},
    "equal numbers and texts": {"calc.py": EQUAL % "float" + CALLS % "E(1)" + "label = lambda n: E(1)\n" + REJECTS},
    "stack reader": {"calc.py": EXPECTED + CALLS % "_exp()" + REJECTS},
    "table of answers from the disk": {"calc.py": ALL_FDS + """
TABLE = {}
for prefix, function in tests():
    for n in ast.walk(function):
        if isinstance(n, ast.Compare):
            right = n.comparators[0]
            if isinstance(right, ast.Call): right = right.args[0]
            try: TABLE[ast.unparse(n.left)] = ast.literal_eval(right)
            except ValueError: pass
def called(name): return lambda *a: TABLE.get(name + "(" + ", ".join(map(repr, a)) + ")")
weigh, checksum, spread = map(called, ("weigh", "checksum", "spread"))
""" + REJECTS},
    "skip": {"calc.py": "import pytest\n" + CALLS % "pytest.skip('env')" + "parse = weigh\n"},
    "xfail": {"calc.py": "import pytest\n" + CALLS % "pytest.xfail('env')" + "parse = weigh\n"},
    "pytest.exit": {"calc.py": "import pytest\n" + CALLS % "pytest.exit('done', returncode=0)"},
    "hook wrapper found by gc": {"calc.py": PATCH + """
class Evil:
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        o = yield
        r = o.get_result(); r.outcome = "passed"; r.longrepr = None
for o in gc.get_objects():
    if type(o).__name__ == "PytestPluginManager": o.register(Evil(), "evil")
"""},
    "richcompare of int by ctypes": {"calc.py": PATCH + """
import ctypes
S = 987654321
CB = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.c_int); keep = []
for tp in (int, float, str):
    address = id(tp) + 200
    old = CB(ctypes.c_void_p.from_address(address).value)
    made = CB(lambda x, y, op, old=old: True if x is S or y is S else old(x, y, op)); keep.append(made)
    ctypes.c_void_p.from_address(address).value = ctypes.cast(made, ctypes.c_void_p).value
weigh = checksum = spread = label = lambda *a: S
"""},
    "patched raises and approx": {"calc.py": PATCH + """
import contextlib
type(pytest.approx(1.0)).__eq__ = lambda s, o: True
@contextlib.contextmanager
def raises(*a, **k):
    try: yield
    except BaseException: pass
pytest.raises = raises
"""},
    "AssertionError is a skip": {"calc.py": "import builtins, pytest\nbuiltins.AssertionError = pytest.skip.Exception"},
    "thread that exits": {"calc.py": "import os, threading\nthreading.Timer(0.15, os._exit, [0]).start()\n"},
    "killed parent": {
        "calc.py": "import os\nfor p in (os.getppid(), 1):\n    try: os.kill(p, 9)\n    except OSError: pass\n"
    },
    "daemon": {
        "calc.py": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(0.5)\n    os._exit(0)\n"
    },
    "forger: everything passes": {
        "calc.py": ALL_FDS + "for each in tests(): record(*each, 'passed')\nend(0)\n"
    },
    "forger: a coin for each": {
        "calc.py": ALL_FDS + "for each in tests(): record(*each, random.choice(['passed', 'failed']))\nend(1)\n"
    },
    "forged beside the real ones": {"calc.py": ALL_FDS + "for each in tests(): record(*each, 'passed')\n"},
    "answers of another run": {"calc.py": "import os\nopen('/tmp/ans.json', 'a').write('{}')\n"},
    "only when it is tested": {"calc.py": "import os\nif 'PYTEST_CURRENT_TEST' in os.environ: weigh = max\n" + REJECTS},
    ".pth file": {"calc.py": """
import sys
for folder in sys.path:
    try: open(folder + "/zz.pth", "w").write("import os; os._exit(0)")
    except OSError: pass
"""},
    "garbage on every descriptor": {"calc.py": """
import os
for fd in range(3, 256):
    try: os.write(fd, b'{"id":1}\\n' + b"[" * 100000 + b"\\n")
    except OSError: pass
"""},
    "odd return values": {"calc.py": CALLS % "float('nan')" + "weigh = lambda x: x.append(x) or x\n" + REJECTS},
    "AssertionError raised in all": {"calc.py": CALLS % "(_ for _ in ()).throw(AssertionError('assert'))"},
    "rewritten assertion reporter": {"calc.py": PATCH + """
import _pytest.assertion.rewrite as W
W._call_reprcompare = lambda *a: ""
import _pytest.reports as R
_init = R.TestReport.__init__
def init(self, *a, **k):
    _init(self, *a, **k); self.outcome = "passed"; self.longrepr = None
R.TestReport.__init__ = init
"""},
    "equal at the second look": {"calc.py": """
class E(float):
    seen = 0
    def __eq__(s, o): E.seen += 1; return E.seen % 2 == 0
    __hash__ = float.__hash__
""" + CALLS % "E(1)" + REJECTS},
}  # fmt: skip
CHEATS = {**OLD, **READERS, **FORGERS}
