"""Snapshot tools: bounded, sorted, and an answer to everything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.records.tree import SourceTree
from tasks.workspace.snapshot import Answer, Snapshot

CALC = '''"""Sums."""

LIMIT = 10


class Calculator:
    unit = "m"

    @staticmethod
    def add(a, b):
        return a - b


def add(a, b):
    return Calculator.add(a, b)
'''
TREE = SourceTree.of(
    {
        "calc.py": CALC, "broken.py": "def add(:\n", "latin.py": b"# caf\xe9\nname = 'x'\n",
        "notes.txt": "ADD two numbers\r\n",
        "empty.py": "", "binary.dat": b"\0add", "escape.txt": "\x1b[31mred\x1b[0m\n", "many.txt": "needle\n" * 500,
        "big.py": "# add\n" * 50_000, "wide.txt": "w" * 5_000,
    }
)  # fmt: skip
SNAPSHOT = Snapshot(TREE)


def test_search_ignores_case_and_answers_in_path_order():
    """Expected by hand: four lines, no binary file, no file beyond 256,000 bytes."""
    expected = (
        "broken.py:1: def add(:\ncalc.py:10: def add(a, b):\ncalc.py:14: def add(a, b):\n"
        "calc.py:15: return Calculator.add(a, b)\nnotes.txt:1: ADD two numbers"
    )
    assert Answer(expected) == SNAPSHOT.search_repository("Add")


def test_search_gives_at_most_twenty_hits_and_says_so():
    """Truncation is a flag, and the text carries no word of it."""
    found = SNAPSHOT.search_repository("needle")
    assert (found.output.count("needle"), found.truncated, found.output.split("\n")[-1]) == (
        20,
        True,
        "many.txt:20: needle",
    )


def test_search_finds_files_by_name():
    """A path that contains the query is a hit, after the lines."""
    assert SNAPSHOT.search_repository("binary.d").output == "binary.dat: file name"


def test_read_numbers_lines_and_includes_both_ends():
    """Lines 9 and 10 of the file above."""
    assert Answer("9:     @staticmethod\n10:     def add(a, b):") == SNAPSHOT.read_file("calc.py", 9, 10)


def shown(answer):
    """The first and the last line number of a read, and the flag."""
    lines = answer.output.split("\n")
    return int(lines[0].partition(":")[0]), int(lines[-1].partition(":")[0]), answer.truncated


def test_read_gives_80_lines_from_the_start_unless_told_and_at_most_120():
    """A start without an end moves both; what is cut is told by the flag, a chosen end is no cut."""
    assert shown(SNAPSHOT.read_file("many.txt")) == (1, 80, True)
    assert shown(SNAPSHOT.read_file("many.txt", 81)) == (81, 160, True)
    assert shown(SNAPSHOT.read_file("many.txt", start_line=470)) == (470, 500, False)
    assert shown(SNAPSHOT.read_file("many.txt", 1, 500)) == (1, 120, True)
    assert shown(SNAPSHOT.read_file("many.txt", 401, 500)) == (401, 500, False)
    assert shown(SNAPSHOT.read_file("many.txt", end_line=10)) == (1, 10, False)


def test_any_encoding_is_readable():
    """An undecodable byte is a replacement character, not an exception."""
    assert Answer("1: # caf\ufffd\n2: name = 'x'") == SNAPSHOT.read_file("latin.py")


def test_no_escape_sequence_reaches_an_answer():
    """A repository cannot write to a terminal through us."""
    assert Answer("1: \ufffd[31mred\ufffd[0m") == SNAPSHOT.read_file("escape.txt")


def test_a_long_line_is_cut_and_the_cut_is_told():
    """One line cannot fill the answer."""
    found = SNAPSHOT.read_file("wide.txt")
    assert (len(found.output), found.truncated) == (300, True)


def test_an_empty_file_reads_as_nothing():
    """Not as a refusal."""
    assert Answer("") == SNAPSHOT.read_file("empty.py")


@pytest.mark.parametrize(
    "arguments",
    [("../x",), ("/etc/passwd",), ("calc.py", 0), ("calc.py", 5, 4), ("calc.py", "1"), ("calc.py", True), ("calc.py",
    99),
     ("none.py",), (None,), (["calc.py"],), ("binary.dat",), ("big.py",), ("calc.py", 1.0), (".git/config",), ("",),
     ("calc.py\0",), ("\ud800",)],
)  # fmt: skip
def test_a_bad_read_is_a_rejected_answer(arguments):
    """No exception, no host path."""
    found = SNAPSHOT.read_file(*arguments)
    assert (found.status, found.truncated) == ("rejected", False)
    assert found.output.isprintable()


@pytest.mark.parametrize("query", ["", "  ", "x" * 201])
def test_a_bad_query_is_a_rejected_answer(query):
    """One line of 1 to 200 characters is what a search takes."""
    expected = Answer("query: expected one line of 1 to 200 characters", status="rejected")
    assert expected == SNAPSHOT.search_repository(query)


def test_a_symbol_is_shown_with_span_source_and_calls():
    """Decorators belong to the span; line numbers are the file's; calls are told by the name that is written."""
    expected = (
        "calc.py:9-11: function Calculator.add\n9:     @staticmethod\n10:     def add(a, b):\n"
        "11:         return a - b\n"
        "calc.py:15: call in add: return Calculator.add(a, b)"
    )
    assert Answer(expected) == SNAPSHOT.inspect_symbol("Calculator.add")


def test_a_bare_name_finds_methods_functions_classes_and_constants():
    """In line order, over every file that parses."""
    titles = [line for line in SNAPSHOT.inspect_symbol("add").output.split("\n") if line.startswith("calc.py:")][:2]
    assert titles == ["calc.py:9-11: function Calculator.add", "calc.py:14-15: function add"]
    assert SNAPSHOT.inspect_symbol("LIMIT").output == "calc.py:3-3: name LIMIT\n3: LIMIT = 10"
    assert SNAPSHOT.inspect_symbol("unit").output.split("\n")[0] == "calc.py:7-7: name Calculator.unit"


@pytest.mark.parametrize("name", ["", "1x", "a b", "a..b", ".a", None, "x" * 201, "a;b"])
def test_a_bad_symbol_is_a_rejected_answer(name):
    """Only Python names, joined by dots."""
    assert SNAPSHOT.inspect_symbol(name).status == "rejected"


def test_a_name_without_definition_is_an_ordinary_answer():
    """Nothing found is evidence, too."""
    assert Answer("no definition") == SNAPSHOT.inspect_symbol("subtract")
    assert Answer("no match") == SNAPSHOT.search_repository("subtract")


def test_code_too_deep_to_parse_defines_nothing():
    """A hostile file cannot take the tool down."""
    hostile = SourceTree.of({"a.py": "(" * 5_000, "b.py": "x = " + "-" * 50_000 + "1", "c.py": "def f(): pass\n"})
    assert Snapshot(hostile).inspect_symbol("f").output == "c.py:1-1: function f\n1: def f(): pass"


@given(st.dictionaries(st.sampled_from(["a.py", "b.txt"]), st.binary(max_size=400), min_size=1), st.text(max_size=20))
def test_every_answer_is_bounded_and_encodable(files, words):
    """Whatever a repository holds and a model asks."""
    snapshot = Snapshot(SourceTree.of(files))
    answers = [snapshot.search_repository(words), snapshot.read_file(words), snapshot.inspect_symbol(words)]
    answers += [snapshot.read_file(path) for path in files]
    assert all(len(answer.output.encode()) <= 8_000 for answer in answers)
