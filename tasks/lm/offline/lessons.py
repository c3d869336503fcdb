"""The lessons that an instruction may teach, by the words that carry their meaning.

A lesson is present when, in one sentence of the instruction and in any order, case-insensitively, every one of its
groups of words has a match:

    values       "expected" (or "wanted", "should be") and "actual" (or "observed", "got", "obtained")
    boundaries   "boundar…" or "off-by-one" or "inclusive" or "exclusive" or "edge" of a range or "limit … range"
    absence      "empty" or "missing" or "absent" or "none" or "null", and "input…", "value…", "argument…", "sequence…"
                 "collection…", "list…", "key…" or "data"
    places       "every", "all" or "each", and "place…", "caller…", "call site…", "usage…", "reference…" or
                 "occurrence…"; or "every use", "each use", "all uses"

The seed instructions hold none of them. Sentences end at `.`, `;`, `!`, `?` or a line's end. A sentence that negates
its own point ("do not compare", "ignore", "never") carries no lesson.
"""

import re
from typing import Literal

Lesson = Literal["values", "boundaries", "absence", "places"]

SENTENCES: dict[Lesson, str] = {
    "values": (
        "Compare the expected value with the actual value and work out which constant, operator or factor "
        "in the code explains the difference."
    ),
    "boundaries": "Check the boundaries: off-by-one ranges and inclusive versus exclusive comparisons.",
    "absence": "Consider empty or missing input and how the code should handle it.",
    "places": "Change every place and every caller that uses the old name, not only the first.",
}

_GROUPS: dict[Lesson, tuple[str, ...]] = {
    "values": (r"\b(expect|want|should be)", r"\b(actual|observed|got\b|obtained)"),
    "boundaries": (r"\bboundar|\boff[- ]by[- ]one|\binclusiv|\bexclusiv|\bedges?\b|\blimits? of (a|the|each) range",),
    "absence": (
        r"\b(empty|emptiness|missing|absent|none|null)\b",
        r"\b(input|value|argument|sequence|collection|list|key|data)",
    ),
    "places": (
        r"\b(every|all|each)\b",
        r"\b(place|caller|call[- ]site|usage|reference|occurrence)s?\b|\b(every|each|all)( other| of its)? uses?\b",
    ),
}
_NEGATION = re.compile(r"\b(do not|don't|never|ignore|without|no need)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;!?\n]+")


def lessons_in(instruction: str) -> frozenset[Lesson]:
    """The lessons that the words of `instruction` ask for."""
    sentences = [part for part in _SENTENCE.split(instruction) if part.strip() and not _NEGATION.search(part)]
    return frozenset(lesson for lesson in _GROUPS if any(_speaks_of(lesson, part) for part in sentences))


def _speaks_of(lesson: Lesson, sentence: str) -> bool:
    return all(re.search(group, sentence, re.IGNORECASE) for group in _GROUPS[lesson])
