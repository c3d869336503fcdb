"""Walk: small tests come out as Python would have them, and no text gets out of the walk or keeps it busy."""

import time

import pytest

from tasks.lm.offline.walk.program import Program, TestName

TEST = TestName("test_x.py", ("test_x",))


def verdict(body: str) -> str:
    """How a test with this body ends."""
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    return Program({"test_x.py": f"import pytest\n\n\ndef test_x():\n{indented}\n"}).outcome(TEST).verdict


RIGHT = (
    "assert [n * n for n in range(5) if n % 2] == [1, 9]",
    "total = 0\nfor n in (1, 2, 3):\n    if n == 2:\n        continue\n    total += n\nassert total == 4",
    "assert {k: v + 1 for k, v in {'a': 1}.items()} == {'a': 2}",
    "assert f'{3.14159:.2f} {5:03d} {\"x\"!r}' == \"3.14 005 'x'\"",
    "assert sorted({3, 1, 2}, key=lambda n: -n) == [3, 2, 1]",
    "with pytest.raises(ZeroDivisionError):\n    1 / 0",
    "assert 0.1 + 0.2 == pytest.approx(0.3)",
    "def grow(n):\n    return 1 if n < 2 else n * grow(n - 1)\nassert grow(6) == 720",
    "class P:\n    x = 4\n    @property\n    def twice(self):\n        return 2 * self.x\nassert P().twice == 8",
    "class P:\n    def __init__(self, x):\n        self.x = x\nassert P(4).x == 4",
    "from collections import namedtuple\nT = namedtuple('T', 'a b')\nassert [T(1, b=2), *T(3, 4)] == [(1, 2), 3, 4]",
    "def gen():\n    yield 1\n    yield 2\nassert list(gen()) == [1, 2]",
    "try:\n    {}['k']\nexcept KeyError:\n    found = 'missing'\nassert found == 'missing'",
    "n = 0\ndef up():\n    nonlocal n\n    n += 1\n    return n\nup()\nassert (up(), n) == (2, 2)",
)
HOSTILE = (
    "__import__('os').system('true')",
    "assert ().__class__.__bases__",
    "open('/etc/passwd')",
    "eval('1')",
    "assert (lambda: 0).__globals__",
    "while True:\n    pass",
    "x = 9 ** 9 ** 9",
    "x = 'a' * 10 ** 12",
    "x = [0]\nwhile True:\n    x = [x, x]\n    y = [x, x]\n    assert x != y",
    "x = []\nx.append(x)\nassert x == [x, 1]",
    "def f():\n    return f()\nf()",
    "x = f'{1:99999999d}'",
    "x = 'a,' * 900\nwhile True:\n    x = x.replace(',', x)",
    "x = round(1, -10 ** 12)",
    "import os\nos.system('true')",
    "from subprocess import run\nrun(['true'])",
    "x = getattr('', '__class__')",
    "for n in range(10 ** 15):\n    pass",
    "assert sum(range(10 ** 12))",
)


@pytest.mark.parametrize("body", RIGHT)
def test_the_subset_is_pythons(body):
    """A test that passes in Python passes in the walk."""
    assert verdict(body) == "passed"


@pytest.mark.parametrize("body", ["assert 1 == 2", "assert not True", "assert [1] == [1, 2]"])
def test_a_failed_assertion_is_seen(body):
    """A walk does not pass what Python fails."""
    assert verdict(body) == "failed"


@pytest.mark.parametrize("body", HOSTILE)
def test_no_text_gets_out_or_keeps_the_walk_busy(body):
    """Whatever a repository holds, the walk ends soon, without a pass, and touches nothing of the host."""
    started = time.perf_counter()
    assert verdict(body) in ("unknown", "raised")
    assert time.perf_counter() - started < 60  # the heaviest took 2.6 s; a walk without bounds never ends


def test_a_fixture_of_the_same_file_is_walked_and_another_is_unknown():
    """What pytest would inject from elsewhere is not guessed."""
    known = "import pytest\n\n@pytest.fixture\ndef five():\n    return 5\n\ndef test_x(five):\n    assert five == 5\n"
    outcomes = [
        Program({"test_x.py": text}).outcome(TEST).verdict for text in (known, "def test_x(tmp_path):\n    pass\n")
    ]
    assert outcomes == ["passed", "unknown"]


def test_every_row_of_a_parametrisation_is_walked():
    """One failing row fails the test."""
    rows = (
        "import pytest\n\n@pytest.mark.parametrize('a, b', [(1, 1), (2, {})])\ndef test_x(a, b):\n    assert a == b\n"
    )
    outcomes = [Program({"test_x.py": rows.replace("{}", last)}).outcome(TEST).verdict for last in ("2", "3")]
    assert outcomes == ["passed", "failed"]


def test_an_unread_module_is_unknown():
    """The walk says nothing about code that it has not seen."""
    text = "from elsewhere import thing\n\ndef test_x():\n    assert thing(1) == 1\n"
    assert Program({"test_x.py": text}).outcome(TEST).verdict == "unknown"
