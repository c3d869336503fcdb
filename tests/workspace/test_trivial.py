"""Trivial answers: what is replaced, by what, and what stays."""

import ast

import pytest

from tasks.records.case import Case, TestNodes
from tasks.records.tree import SourceTree
from tasks.workspace.trivial import trivial_trees

TEST = "def test_it():\n    assert asked(4) == 7\n    assert asked(2) == 'seven'\n\ndef test_other(): assert True\n"


def answered(before, after, *others):
    """{kind: source of m.py} when `before` is repaired to `after`."""
    case = Case(
        case_id="c", group="g", issue="", constraints="", scope=("**",),
        repo=SourceTree.of({"m.py": before, "tests/test_m.py": TEST}),
        public=TestNodes(fail_to_pass=("tests/test_m.py::test_it",), pass_to_pass=("tests/test_m.py::test_other",)),
    )  # fmt: skip
    trees = [case.repo.overlaid(SourceTree.of({"m.py": source})) for source in (after, *others)]
    return {kind: tree.by_path["m.py"].text for kind, tree in trivial_trees(case, *trees)}


def said(function, result, *, before="def f(a, b):\n    pass\n"):
    """What `f` of each trivial tree comes to; `result` calls it."""
    found = {}
    for kind, source in answered(before, function).items():
        namespace = {}
        exec(source, namespace)  # noqa: S102 - the source was written above
        found[kind] = result(namespace)
    return found


def test_a_function_says_each_kind_of_answer_whatever_it_is_given():
    """None, NaN, an empty text, its first argument, and the text that a public test expects."""
    answers = said("def f(a, b):\n    return str(a + b)\n", lambda names: names["f"](40, 2))
    assert repr(answers.pop("NaN")) == "nan"
    assert answers == {"None": None, "empty": "", "first argument": 40, "constant": "seven"}


@pytest.mark.parametrize(
    ("signature", "returned", "empty", "constant"),
    [
        ("(a, b) -> int", "a", 0, 7),
        ("(a, b) -> 'list[int]'", "a", [], [0]),
        ("(a, b) -> list[int]", "a", [], [0]),
        ("(a, b) -> dict[str, int] | None", "a", {}, {0: 0}),
        ("(a, b) -> None | bool", "a", False, True),
        ("(a, b)", "a <= b and b < 9", False, True),
        ("(a, b)", "sorted(a)", [], [0]),
        ("(a, b)", "(a, b)", (), (0,)),
        ("(a, b)", "a", 0, 7),  # nothing shows a type: that of what the public test expects
    ],
)
def test_empty_and_constant_are_of_the_type_that_the_function_shows(signature, returned, empty, constant):
    """By its annotation, or by what it returns."""
    answers = said(f"def f{signature}:\n    return {returned}\n", lambda names: names["f"](40, 2))
    assert (answers["empty"], answers["constant"]) == (empty, constant)


def test_signature_decorators_and_everything_beside_the_change_stay():
    """Only the body of what was changed is another."""
    rest = "import functools\nLIMIT = 3\n\ndef other(x):\n    return x\n\n"
    head = "@functools.cache\ndef f(a, /, b: int=2, *, c=None) -> int:\n    "
    sources = answered(f"{rest}{head}return a\n", f"{rest}{head}return b\n")
    assert sources["None"] == f"{rest}{head}return None\n"


def test_a_method_hands_back_what_comes_after_self_and_a_property_has_nothing_to_hand_back():
    """Which makes it None, and so a tree that is there already."""
    before = "class C:\n    def f(self, a):\n        pass\n"
    method = said("class C:\n    def f(self, a):\n        return 1\n", lambda names: names["C"]().f(5), before=before)
    assert method["first argument"] == 5
    static = "class C:\n    @staticmethod\n    def f(a):\n        return 1\n"
    assert said(static, lambda names: names["C"].f(5))["first argument"] == 5
    of_a_class = "class C:\n    @classmethod\n    def f(cls, a):\n        return 1\n"
    assert said(of_a_class, lambda names: names["C"].f(5))["first argument"] == 5
    shown = said("class C:\n    @property\n    def f(self):\n        return 1\n", lambda names: names["C"]().f)
    assert list(shown) == ["None", "NaN", "empty", "constant"]


def test_only_changed_methods_of_a_class_answer():
    """The rest of the class is as it was repaired."""
    before = "class C:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    found = said(before.replace("1", "3"), lambda names: (names["C"]().f(), names["C"]().g()), before=before)
    assert (found["None"], found["constant"]) == ((None, 2), (7, 2))


def test_a_generator_stays_one():
    """It yields one answer, none, or what its first argument holds."""
    answers = said("def f(a):\n    yield a + 'x'\n", lambda names: list(names["f"]([4, 5])))
    assert (answers["None"], answers["empty"], answers["first argument"]) == ([None], [], [4, 5])


def test_a_coroutine_stays_one():
    """And so does an asynchronous generator, in which `yield from` would be no Python."""
    source = "async def f(a):\n    return 1\n\nasync def g(a):\n    yield 1\n"
    for text in answered("", source).values():
        kinds = [type(node) for node in ast.parse(text).body]
        assert kinds == [ast.AsyncFunctionDef, ast.AsyncFunctionDef]
        assert "yield" in text.partition("async def g")[2]


def test_what_never_answers_keeps_working_beside_what_does():
    """A constructor that did nothing would break the object, and say nothing about the answer."""
    before = "class C:\n    def __init__(self):\n        self.n = 1\n\n    def f(self):\n        return 0\n"
    after = "class C:\n    def __init__(self):\n        self.n = 2\n\n    def f(self):\n        return self.n\n"
    assert said(after, lambda names: (names["C"]().n, names["C"]().f()), before=before)["None"] == (2, None)


def test_what_never_answers_does_nothing_where_nothing_else_changed():
    """In one tree, as whatever it said would be ignored."""
    found = said("def f(a):\n    a.append(1)\n", lambda names: names["f"](5), before="def f(a):\n    a.append(2)\n")
    assert found == {"None": None}


def test_readers_of_a_changed_value_answer():
    """The function is where the value would have shown."""
    source = "RATE = {}\n\ndef f(a):\n    return a * RATE\n\ndef g(a):\n    return a\n"
    found = said(source.format(3), lambda names: (names["f"](2), names["g"](2)), before=source.format(4))
    assert (found["None"], found["constant"]) == ((None, 2), (7, 2))


def test_a_changed_value_that_no_function_reads_becomes_the_answer():
    """As where other modules import it."""
    found = said("RATE = 0.25\n", lambda names: names["RATE"], before="RATE = 0.2\n")
    assert (found["None"], found["empty"], found["constant"]) == (None, 0.0, 7)


def test_a_tree_that_is_there_already_is_not_made_again():
    """Neither the repaired one nor a known-wrong one, whatever their comments."""
    before = "def f(a):\n    return a\n"
    assert "None" not in answered(before, "def f(a):\n    return a or 1\n", "def f(a): return None  # what else\n")
    assert "empty" not in answered(before, "def f(a):\n    return 0  # always\n")
    assert "first argument" not in answered(before, "def f(a):\n    return a or 1\n")


def test_a_patch_of_data_alone_gives_no_tree():
    """Nothing there could answer."""
    assert answered("def f(a):\n    return 1\n", "def f(a):\n    return 1  # indeed\n") == {}
