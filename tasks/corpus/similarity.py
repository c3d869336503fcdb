"""Similarity of texts: Jaccard over runs of five words, the measure behind the near-duplicate rule.

Two texts that share nothing but the language score close to zero. Each word is part of five runs, so a text with one
word in ten replaced still scores 0.35 (evenly spread) to 0.42 (at random).
"""

import re
from collections.abc import Iterable

RUN_WORDS = 5


def runs(text: str) -> frozenset[tuple[str, ...]]:
    """Every run of five consecutive words, lower case; a shorter text is one run by itself."""
    words = re.findall(r"\w+", text.lower())
    if len(words) < RUN_WORDS:
        return frozenset([tuple(words)] if words else [])
    return frozenset(zip(*(words[offset:] for offset in range(RUN_WORDS)), strict=False))


def jaccard(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """Shared runs over all runs, in [0, 1]; two empty texts share nothing."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def squeezed(text: str) -> str:
    """Text with every stretch of white space made one blank."""
    return " ".join(text.split())


def telling_lines(text: str, min_chars: int, boilerplate: Iterable[str] = ()) -> tuple[str, ...]:
    """Lines, squeezed, that are long enough to be recognised and do not begin like boilerplate."""
    lines = (squeezed(line) for line in text.splitlines())
    return tuple(line for line in lines if len(line) >= min_chars and not line.startswith(tuple(boilerplate)))
