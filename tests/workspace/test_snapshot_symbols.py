"""Symbols: definitions, attributes and callers, from syntax alone."""

from textwrap import dedent

from tasks.records.tools import ToolLimits
from tasks.records.tree import SourceTree
from tasks.workspace.snapshot import Snapshot

STOCK = dedent(
    """\
    import till


    class Shelf:
        unit, width = "m", 3

        def __init__(self, items):
            self.items = items
            self.count: int = len(items)

        @classmethod
        def empty(cls):
            cls.made = True
            return cls([])

        def add(self, item):
            self.items = [*self.items, item]

            def inner():
                self.last = item

            inner()
            other.stray = item


    @till.register(Shelf.empty())
    class Rack(Shelf):
        class Bolt:
            pass


    def fill(shelf):
        shelf.add(1)
        return (
            shelf
            .add(2)
        )


    fill(Shelf([]))
    """
)
SNAPSHOT = Snapshot(SourceTree.of({"broken.py": "def Shelf(:\n", "stock.py": STOCK, "text.md": "Shelf()\n"}))


def lines_about(name, wanted):
    return [line for line in SNAPSHOT.inspect_symbol(name).output.split("\n") if wanted in line]


def test_a_class_is_shown_with_its_attributes():
    """Methods, class variables (also of a tuple), what is set on self or cls, in line order, once each."""
    expected = [
        "stock.py:5: class variable Shelf.unit", "stock.py:5: class variable Shelf.width",
        "stock.py:7: method Shelf.__init__", "stock.py:8: instance attribute Shelf.items",
        "stock.py:9: instance attribute Shelf.count", "stock.py:11: method Shelf.empty",
        "stock.py:13: instance attribute Shelf.made", "stock.py:16: method Shelf.add",
        "stock.py:20: instance attribute Shelf.last",
    ]  # fmt: skip
    related = [line for line in lines_about("Shelf", " Shelf.") if line.startswith("stock.py:")]
    assert expected == related


def test_a_nested_class_is_an_attribute():
    """And the attributes of a base class are the base's."""
    assert lines_about("Rack", "Rack.") == ["stock.py:28: class Rack.Bolt"]


def test_calls_are_told_with_their_line_and_what_they_are_in():
    """The line is that of the name, also in a chain; a decorator's call is in what surrounds it."""
    assert lines_about("add", "call in") == [
        "stock.py:33: call in fill: shelf.add(1)",
        "stock.py:36: call in fill: .add(2)",
    ]
    assert lines_about("inner", "call in") == ["stock.py:22: call in Shelf.add: inner()"]
    assert lines_about("empty", "call in") == ["stock.py:26: call in the module: @till.register(Shelf.empty())"]


def test_an_attribute_is_found_by_its_name():
    """Where it is first set; an attribute of another object is none of the class."""
    assert lines_about("Shelf.items", "attribute") == ["stock.py:8-8: attribute Shelf.items"]
    assert SNAPSHOT.inspect_symbol("stray").output == "no definition"


def test_a_name_that_is_only_called_shows_its_calls():
    """What the repository does not define, it may still use."""
    assert SNAPSHOT.inspect_symbol("len").output == "stock.py:9: call in Shelf.__init__: self.count: int = len(items)"


def test_callers_are_shown_however_long_the_source_is():
    """Half of an answer's bytes are kept for what a long source would push out; the cut is told."""
    body = "".join(f"    x = {number}  # {'-' * 80}\n" for number in range(200))
    files = {"a.py": f"def long():\n{body}", "b.py": "from a import long\nlong()\n"}
    found = Snapshot(SourceTree.of(files)).inspect_symbol("long")
    assert found.output.endswith("\nb.py:2: call in the module: long()")
    assert found.output.startswith("a.py:1-201: function long\n1: def long():\n2:     x = 0")
    assert (found.truncated, len(found.output.encode()) <= 8_000, found.output.count("\n") < 120) == (True, True, True)


def test_at_most_twenty_definitions_and_twenty_calls_are_shown():
    """In path order, and what is left out is told."""
    files = {f"m{number:02}.py": "def f(): pass\nf()\n" for number in range(25)}
    found = Snapshot(SourceTree.of(files)).inspect_symbol("f")
    counts = (found.output.count("function f"), found.output.count("call in"), "m19.py:2:" in found.output)
    assert (found.truncated, *counts) == (True, 20, 20, True)


def test_parsing_stops_at_a_number_of_bytes_and_says_so():
    """Files that mention the name count, in path order; the others cost nothing."""
    files = {"a.py": "def f(): pass\n", "b.py": "x = 1\n" * 100, "c.py": "def f(): pass\n"}
    found = Snapshot(SourceTree.of(files), ToolLimits(max_parsed_bytes=20)).inspect_symbol("f")
    assert (found.output, found.truncated) == ("a.py:1-1: function f\n1: def f(): pass", True)


def test_names_are_compared_as_python_compares_them():
    """Identifiers are in NFKC: a ligature names what its letters name."""
    snapshot = Snapshot(SourceTree.of({"a.py": "file = 1\n", "b.py": "caf\u00e9 = 1\n"}))
    assert snapshot.inspect_symbol("\ufb01le").output == "a.py:1-1: name file\n1: file = 1"
    assert snapshot.inspect_symbol("cafe\u0301").output == "b.py:1-1: name caf\u00e9\n1: caf\u00e9 = 1"


def test_code_nested_deeper_than_we_recurse_is_walked():
    """A sum of 900 terms and 90 nested functions: parsed by Python, so outlined by us."""
    deep = "".join("  " * depth + "def h():\n" for depth in range(90)) + "  " * 90 + "g()\n"
    total = "\n+".join(["f()"] * 900)
    found = Snapshot(SourceTree.of({"a.py": f"x = ({total})\n", "b.py": deep}))
    assert found.inspect_symbol("f").output.count("call in the module") == 20
    assert found.inspect_symbol("g").output == f"b.py:91: call in {'.'.join('h' * 90)}: g()"
