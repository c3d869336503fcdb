"""Search: one joined text gives the lines that a search line by line gives, and says where it stopped."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.records.tools import ToolLimits
from tasks.records.tree import SourceTree
from tasks.workspace.snapshot import Answer, Snapshot

# Casefold and NFC change the length of these: sharp s, dotted capital I, a ligature, an accent in two spellings.
CHARACTERS = st.sampled_from("aAbB \t\u00df\u1e9e\u0130i\ufb01\u00e9e\u0301\u212a\U0001f600\n\r\x00\ufeff")
TEXTS = st.dictionaries(st.sampled_from(["a.py", "b/c.txt", "d.md"]), st.text(CHARACTERS, max_size=30), max_size=3)


def same(text):
    """A spelling of its own for the test: NFD of the casefolded NFD, as the Unicode standard defines caseless match."""
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold())
    return unicodedata.normalize("NFC", folded)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.text(st.sampled_from("aAb\u00df\u0130\ufb01\u00e9\u212a"), min_size=1, max_size=3))
def test_a_joined_search_finds_what_a_search_by_line_finds(files, query):
    """Line numbers are those of the original, however much folding changes its length."""
    expected = [
        f"{path}:{number}"
        for path, text in sorted(files.items())
        if "\0" not in text
        for number, line in enumerate(text.split("\n"), 1)
        if same(query) in same(line)
    ]
    found = Snapshot(SourceTree.of(files)).search_repository(query).output.split("\n")
    hits = [":".join(line.split(":")[:2]) for line in found if ": file name" not in line and line != "no match"]
    assert expected[:20] == hits


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("STRASSE", "die Stra\u00dfe"),
        ("cafe\u0301", "CAF\u00c9"),
        ("caf\u00e9", "cafe\u0301"),
        ("kelvin", "\u212aelvin"),
    ],
)
def test_case_and_unicode_form_do_not_count(query, line):
    """A letter that folds to two, an accent composed and decomposed, and a sign that is a letter."""
    answer = Snapshot(SourceTree.of({"a.txt": f"\n{line}\n"})).search_repository(query)
    assert Answer(f"a.txt:2: {line}") == answer


def test_a_text_beyond_the_bound_is_not_searched_and_that_is_told():
    """Whole files in path order; the answer is the same on every machine, because bytes are counted and not seconds."""
    tree = SourceTree.of({"a.txt": "needle 1\n", "b.txt": "needle 2\n"})
    small = Snapshot(tree, ToolLimits(max_searched_bytes=15))
    assert Answer("a.txt:1: needle 1", truncated=True) == small.search_repository("needle")
    assert Answer("no match", truncated=True) == small.search_repository("2")


def test_a_match_never_reaches_over_the_end_of_a_line_or_file():
    """Texts are joined by line ends, which no query can hold."""
    snapshot = Snapshot(SourceTree.of({"a.txt": "one", "b.txt": "two\nthree", "c.txt": ""}))
    assert snapshot.search_repository("onetwo").output == "no match"
    assert snapshot.search_repository("twothree").output == "no match"
    assert snapshot.search_repository("e").output == "a.txt:1: one\nb.txt:2: three"


def test_every_answer_is_the_same_on_a_second_snapshot_and_a_second_time():
    """Nothing that was asked before changes what is answered."""
    files = {f"m{number}.py": f"def f{number}():\n    return f{number + 1}()\n" for number in range(30)}
    first, second = Snapshot(SourceTree.of(files)), Snapshot(SourceTree.of(files))
    asked = [("f1",), ("f2",), ("f1",)]
    answers = [(first.search_repository(*each), first.inspect_symbol(*each)) for each in asked]
    assert answers[0] == answers[2]
    assert answers == [(second.search_repository(*each), second.inspect_symbol(*each)) for each in asked]
