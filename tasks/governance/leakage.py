"""Leakage: whether text that must stay behind a boundary shows up in front of it. Pure text checks.

Takes    texts by name, canaries, sources by name, home paths.
Gives    what was found, sorted, as short descriptions; empty where nothing was.
Refuses  nothing.
Source   DESIGN.md, "Principles" 1 and "The seven stages", audit; gepa#261 (reflection copies training examples).

Covered      verbatim canaries in any letter case; runs of eight words whatever the punctuation; absolute host paths.
Not covered  paraphrase, translation, encodings (base64, rot13), runs of fewer than eight words.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping

WORDS = 8
_WORD = re.compile(r"\w+")
_HOST_PATH = re.compile(
    r"(?<![\w.~/-])(?:file://)?"
    r"(?P<path>/(?:root(?![\w-])|(?:home|Users)/[\w.-]+|(?:private/|var/)?tmp/[\w.-]+)(?:/[\w.@+-]+)*)"
)


def canaries_in(texts: Mapping[str, str], canaries: Mapping[str, str]) -> tuple[str, ...]:
    """Which text holds which case's canary; never the canary itself, for the report is text too."""
    marks = {case: _folded(canary) for case, canary in canaries.items() if canary.strip()}
    folded = {name: _folded(text) for name, text in texts.items()}
    return tuple(
        f"canary of {case!r} in {name!r}"
        for name, text in sorted(folded.items())
        for case, mark in sorted(marks.items())
        if mark in text
    )


def named_in(texts: Mapping[str, str], ids: Collection[str]) -> tuple[str, ...]:
    """Which text names which id, as a whole word or hyphenated name."""
    plain = {item: _folded(item) for item in sorted(ids) if item}
    patterns = {item: re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])") for item, name in plain.items()}
    folded = {name: _folded(text) for name, text in texts.items()}
    return tuple(
        f"{item!r} named in {name!r}"
        for name, text in sorted(folded.items())
        for item, pattern in patterns.items()
        if plain[item] in text and pattern.search(text)  # a look behind makes a search slow
    )


def copied(
    text: str, sources: Mapping[str, str], n: int = WORDS, *, known: Iterable[str] = ()
) -> tuple[tuple[str, str], ...]:
    """(source, first shared run of `n` words) for each source that shares one with `text`; `known` as in `copies`."""
    return tuple((source, words) for _, source, words in copies({"": text}, sources, n, known=known))


def copies(
    texts: Mapping[str, str], sources: Mapping[str, str], n: int = WORDS, *, known: Iterable[str] = ()
) -> tuple[tuple[str, str, str], ...]:
    """(text, source, first shared run of `n` words) for each pair that shares one.

    Runs in `known` are nobody's secret: the seed's own words, boilerplate that visible cases share.
    """
    free = {run for words in known for run in ngrams(words, n)}
    secret = {name: ngrams(source, n) - free for name, source in sorted(sources.items())}
    return tuple(
        (name, source, " ".join(min(shared)))
        for name, text in sorted(texts.items())
        for ours in [ngrams(text, n)]
        for source, runs in secret.items()
        if (shared := ours & runs)
    )


def ngrams(text: str, n: int = WORDS) -> set[tuple[str, ...]]:
    """Every run of `n` words, case-folded and without punctuation."""
    words = _WORD.findall(_folded(text))
    return {tuple(words[start : start + n]) for start in range(len(words) - n + 1)}


def host_paths(text: str, homes: Collection[str] = (), *, allowed: Collection[str] = ()) -> tuple[str, ...]:
    """Absolute paths of this machine in `text`: /root, /home/x, /Users/x, /tmp/x, and anything under `homes`.

    `allowed` are paths that the visible case itself speaks of.
    """
    found = {match["path"] for match in _HOST_PATH.finditer(text)}
    roots = [home.rstrip("/") for home in homes if home.rstrip("/")]
    found |= {root for root in roots if re.search(rf"(?<![\w.-]){re.escape(root)}(?![\w-])", text)}
    return tuple(sorted(found - set(allowed)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
