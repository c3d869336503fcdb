"""Similarity of texts: Jaccard over runs of words, the measure behind the near-duplicate rules.

Two texts that share nothing but the language score close to zero. Each word is part of five runs, so a text with one
word in ten replaced still scores 0.35 (evenly spread) to 0.42 (at random). A Python source can be compared by its shape
as well, in which every name is the same name.

Up to 200 texts every pair is measured: that takes less time than an index takes to load, and misses nothing. Beyond,
MinHash signatures propose the pairs and the exact measure decides: 128 bands of two rows propose a pair of likeness 0.2
in 99.5% of all cases, one of 0.35 always but for 6 in 100 million, and one of 0.01 in 1.3%.
"""

import io
import keyword
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import combinations

RUN_WORDS = 5
SHAPE_TOKENS, MIN_SHAPE_TOKENS = 20, 60
FEW_TEXTS = 200
BANDS, BAND_ROWS = 128, 2

Runs = frozenset[tuple[str, ...]]
TELLING = {
    tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP, tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE,
}  # fmt: skip


def runs(text: str) -> Runs:
    """Every run of five consecutive words, lower case; a shorter text is one run by itself."""
    return _runs(re.findall(r"\w+", text.lower()), RUN_WORDS)


def shape(source: str) -> Runs:
    """Every run of twenty tokens of a Python source, whatever its names, literals and comments are.

    A source of fewer than sixty tokens has none: many are built like it.
    """
    tokens = [_shown(token) for token in _tokens(source) if token.type in TELLING]
    return _runs(tokens, SHAPE_TOKENS) if len(tokens) >= MIN_SHAPE_TOKENS else frozenset()


def _runs(words: list[str], length: int) -> Runs:
    if len(words) < length:
        return frozenset([tuple(words)] if words else [])
    return frozenset(zip(*(words[offset:] for offset in range(length)), strict=False))


def code(source: str) -> str:
    """A Python source without its comments and its layout."""
    return " ".join(
        token.string for token in _tokens(source) if token.type != tokenize.COMMENT and token.string.strip()
    )


def _shown(token: tokenize.TokenInfo) -> str:
    """A keyword, an operator or layout as it is; the rest by its kind."""
    if token.type == tokenize.OP or keyword.iskeyword(token.string):
        return token.string
    return tokenize.tok_name[token.type]


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """As far as Python can read it."""
    with suppress(tokenize.TokenError, SyntaxError):
        yield from tokenize.generate_tokens(io.StringIO(source).readline)


def jaccard(one: Runs, other: Runs) -> float:
    """Shared runs over all runs, in [0, 1]; two empty texts share nothing."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def alike(read: Mapping[str, Runs], at_least: float) -> Iterator[tuple[str, str, float]]:
    """Every pair of names whose likeness is at least that (0.2 or more), in order of the names."""
    pairs = combinations(sorted(read), 2) if len(read) <= FEW_TEXTS else proposed(read)
    for one, other in pairs:
        likeness = jaccard(read[one], read[other])
        if likeness >= at_least:
            yield one, other, likeness


def proposed(read: Mapping[str, Runs]) -> list[tuple[str, str]]:
    """Pairs of names that share a band of their MinHash signatures, sorted."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=BANDS * BAND_ROWS, params=(BANDS, BAND_ROWS))
    found: set[tuple[str, str]] = set()
    for name, each in sorted(read.items()):
        if not each:
            continue
        signature = MinHash(num_perm=BANDS * BAND_ROWS, seed=1)
        signature.update_batch([" ".join(run).encode() for run in sorted(each)])
        found.update((min(name, other), max(name, other)) for other in index.query(signature))
        index.insert(name, signature)
    return sorted(found)


def squeezed(text: str) -> str:
    """Text with every stretch of white space made one blank."""
    return " ".join(text.split())


def telling_lines(text: str, min_chars: int, boilerplate: Iterable[str] = ()) -> tuple[str, ...]:
    """Lines, squeezed, that are long enough to be recognised and do not begin like boilerplate."""
    lines = (squeezed(line) for line in text.splitlines())
    return tuple(line for line in lines if len(line) >= min_chars and not line.startswith(tuple(boilerplate)))
