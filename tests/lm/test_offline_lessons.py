"""Lessons: an instruction teaches by the words that carry its meaning, and by nothing else."""

import pytest

from tasks.lm.offline.lessons import SENTENCES, lessons_in
from tasks.program.surface import INSTRUCTIONS

PARAPHRASES = {
    "Work out how the actual result differs from what was expected.": "values",
    "Note what the test wanted and what it got": "values",
    "IS THE EXPECTED NUMBER A MULTIPLE OF THE OBSERVED ONE?": "values",
    "Think of off by one mistakes": "boundaries",
    "Ask whether a limit is inclusive or exclusive": "boundaries",
    "Look at the boundary of each loop": "boundaries",
    "What happens if a collection is empty?": "absence",
    "Some arguments can be None": "absence",
    "keys may be missing": "absence",
    "After a rename, update all callers": "places",
    "Edit every call site": "places",
    "Go through each reference to the old name": "places",
    "Every use of the old name has to go": "places",
}
SILENT = (
    "",
    "Be careful and precise.",
    "Use each tool once and read all files.",
    "Do not look at boundaries.",
    "Never mind empty input",
    "What is expected? Answer in full.",
    "Report missing evidence.",
)


@pytest.mark.parametrize(("sentence", "lesson"), PARAPHRASES.items())
def test_a_paraphrase_teaches_its_lesson(sentence, lesson):
    """Other words for the same thing count as much as our own."""
    assert lessons_in(f"Do the task. {sentence}") == {lesson}


@pytest.mark.parametrize("text", [*SILENT, *INSTRUCTIONS.values()])
def test_other_words_teach_nothing(text):
    """Neither the seed instructions nor care in general hold a lesson."""
    assert lessons_in(text) == frozenset()


def test_each_lesson_is_taught_by_its_own_sentence():
    """The sentence that the reflector writes is read back as that lesson alone."""
    assert {lesson: lessons_in(text) for lesson, text in SENTENCES.items()} == {one: {one} for one in SENTENCES}
