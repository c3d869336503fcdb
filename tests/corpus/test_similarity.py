"""Similarity: the figures are counted by hand."""

import pytest

from tasks.corpus.similarity import jaccard, runs, squeezed, telling_lines


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
