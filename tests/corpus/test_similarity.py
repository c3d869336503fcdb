"""Similarity: the figures are counted by hand."""

import pytest

from tasks.corpus import similarity
from tasks.corpus.similarity import alike, code, jaccard, proposed, runs, shape, squeezed, telling_lines


def test_a_text_of_six_words_has_two_runs():
    """Case and punctuation do not matter."""
    assert {("a", "b", "c", "d", "e"), ("b", "c", "d", "e", "f")} == runs("A b, c: d e -- F!")


@pytest.mark.parametrize(("text", "expected"), [("", set()), (" ?! ", set()), ("Two words", {("two", "words")})])
def test_a_short_text_is_one_run_or_none(text, expected):
    """So that two equal short issues are still alike."""
    assert expected == runs(text)


def test_shared_runs_over_all_runs():
    """Six words each, five of them shared in a row: one run of three."""
    assert jaccard(runs("a b c d e f"), runs("a b c d e g")) == pytest.approx(1 / 3)


def test_equal_texts_are_alike_and_empty_texts_are_not():
    """Two empty files are no evidence of copying."""
    assert jaccard(runs("one two three"), runs("One  two\nthree")) == 1.0
    assert jaccard(runs(""), runs("")) == 0.0


def test_one_word_in_ten_replaced_is_still_a_near_duplicate():
    """100 words, every tenth replaced: each side has 96 runs and shares 50 of them, so there are 142 in all."""
    words = [f"w{number}" for number in range(100)]
    changed = [word if number % 10 else f"v{number}" for number, word in enumerate(words)]
    assert jaccard(runs(" ".join(words)), runs(" ".join(changed))) == pytest.approx(50 / 142)


def test_telling_lines_are_long_and_no_boilerplate():
    """Indentation and runs of blanks do not matter."""
    text = "import everything_there_is\n    assert  total(basket) == 276\nx = 1\n"
    assert telling_lines(text, 20, ("import ",)) == ("assert total(basket) == 276",)
    assert squeezed(" a\n\tb  c ") == "a b c"


def test_every_pair_above_the_threshold_is_given_with_its_likeness():
    """Six words each: one of three runs is shared by a and b, none by c."""
    read = {"b": runs("a b c d e g"), "a": runs("a b c d e f"), "c": runs("p q r s t u")}
    assert list(alike(read, 0.2)) == [("a", "b", pytest.approx(1 / 3))]
    assert list(alike(read, 0.5)) == []


def copies(number):
    """That many unrelated texts of 60 words, and of every tenth a copy with four words replaced."""
    texts = {f"t{case}": [f"w{case}x{word}" for word in range(60)] for case in range(number)}
    copied = {f"t{case}copy": [*texts[f"t{case}"][4:], "and", "more", "was", "said"] for case in range(0, number, 10)}
    return {name: runs(" ".join(words)) for name, words in (texts | copied).items()}


def test_many_texts_are_compared_through_an_index_with_the_same_result(monkeypatch):
    """210 texts and 21 copies: 52 of 60 runs are shared, each copy is found, and nothing else."""
    read = copies(210)
    expected = sorted((f"t{case}", f"t{case}copy", 52 / 60) for case in range(0, 210, 10))
    assert len(read) > similarity.FEW_TEXTS
    assert expected == sorted(alike(read, 0.2))
    monkeypatch.setattr(similarity, "FEW_TEXTS", len(read))
    assert expected == sorted(alike(read, 0.2))


def test_an_index_proposes_few_pairs_and_the_same_ones_every_time():
    """Of 26,565 pairs those that are alike, whatever the order in which the texts come; no text, no pair."""
    read = copies(210) | {"empty": frozenset(), "nothing": frozenset()}
    found = proposed(read)
    assert found == proposed(dict(reversed(read.items())))
    assert {(f"t{case}", f"t{case}copy") for case in range(0, 210, 10)} <= set(found)
    assert len(found) < 60
    assert not [pair for pair in found if {"empty", "nothing"} & set(pair)]


LOOP = "def f(xs):\n    for x in xs:\n        if x > 1:\n            yield x + 2, x - 3\n" * 3


def test_the_shape_of_a_source_knows_no_names_literals_or_comments():
    """Nor where a line ends inside brackets."""
    other = LOOP.replace("xs", "days").replace("x", "day").replace("1", "100").replace("def f", "# Days.\ndef late")
    assert shape(LOOP)
    assert shape(LOOP) == shape(other)
    assert shape(LOOP) != shape(LOOP.replace(">", "<"))


def test_a_short_source_has_no_shape():
    """Every third package has a function of one line."""
    assert shape("def f(x):\n    return x + 1\n") == frozenset()


def test_code_is_what_is_left_without_comments_and_layout():
    """Whatever cannot be read ends it."""
    assert code("# Why.\nx = f( 1,\n   2)  # so\n") == code("x=f(1,2)") == "x = f ( 1 , 2 )"
    assert code("x = (\n") == "x = ("
