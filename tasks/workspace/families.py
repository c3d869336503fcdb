"""Families: values that somebody who does not know the answer cannot tell from the expected one.

Takes    an expected literal and what surrounds it.
Gives    its family, itself among them, and the bits of doubt that a guess at the right member leaves.
Refuses  nothing; a value without a family has bits 0.0.
Covered      The rule. All values are divided into families once and for all: from each member the same family follows,
             so that neither its order, its middle, nor its first member means anything, and seeing it in two gradings
             or beside two tests tells no more than seeing it once. Members differ in the last digits that carry
             information: the number of digits and decimals, the sign and the zeros and fives at the end stay. Members
             are alike for every recogniser in `traits`: they occur elsewhere in the tree or they do not, follow from
             two inputs, or other expected values of the test, by one operation or do not, are famous (a square, a power
             of two, 1234, 777) or not, a small fraction or not, and keep their list sorted, evenly spaced, or free of
             repetition as it was. Words are exchanged for words that the same test already uses.
             The count. log2 of the family; for numbers of three significant digits at most 2, of one or two at most 1,
             for words at most 1, for True and False a half. None, zero, empty containers, text without a number or a
             namesake, and types of exceptions: nothing.
Not covered  who can compute the answer needs no guess: one who knows a relation of three inputs, of numbers in the
             code or of two tests, or the behaviour before a regression, is counted as guessing although he is not.
Source       DESIGN.md, "Running and grading code": a recogniser of plausibility told `+7` from the original 8 of 8.
"""

import functools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

Traits = tuple[object, ...]
Around = Callable[[str], Traits]

NUMBER = re.compile(r"\d+(?:\.\d+)?")
WORD = re.compile(r"[A-Za-z][A-Za-z _-]{0,30}")
CHUNK = {1: 4, 2: 4, 3: 8, 4: 8}
WIDE = 16
MOST_BITS = {1: 1.0, 2: 1.0, 3: 2.0}
FRACTIONS = 64
SMALL, LEAST_DECIMALS, MOST_INPUTS = 3, 4, 40


@dataclass(frozen=True)
class Family:
    """Equally likely values, sorted, as source text."""

    members: tuple[str, ...] = ()
    bits: float = 0.0


NONE = Family()


@dataclass(frozen=True)
class Surroundings:
    """What somebody who reads everything else knows: numbers anywhere in the tree, words and inputs of the test."""

    numbers: frozenset[Decimal]
    words: frozenset[str]
    inputs: tuple[Fraction, ...]


def numbers_in(text: str) -> Iterator[Decimal]:
    """Every number written in a text."""
    return (Decimal(found) for found in NUMBER.findall(re.sub(r"(?<=\d)_(?=\d)", "", text)))


def family(value: Any, surroundings: Surroundings, around: Around) -> Family:
    """The family of a literal. `around` gives the traits of what contains it, were it another."""
    if isinstance(value, bool):
        return Family(("False", "True"), 0.5)
    if isinstance(value, int | float):
        return _numbers(repr(value), surroundings, around)
    return _text(value, surroundings, around) if isinstance(value, str) else NONE


def _text(value: str, surroundings: Surroundings, around: Around) -> Family:
    """A number in a text varies as a number would; a word is exchanged for another of the test."""
    best = NONE
    for found in NUMBER.finditer(value):

        def whole(number: str, start: int = found.start(), end: int = found.end()) -> str:
            return repr(value[:start] + number + value[end:])

        made = _numbers(found[0], surroundings, lambda number, whole=whole: around(whole(number)))  # type: ignore[misc]
        if made.bits > best.bits:
            best = Family(tuple(whole(member) for member in made.members), made.bits)
    if best.bits or value not in surroundings.words:
        return best
    kin = [word for word in sorted(surroundings.words) if word[:1].isupper() == value[:1].isupper()]
    members = chunk([repr(word) for word in kin], repr(value), CHUNK[1], around)
    return Family(members, min(1.0, math.log2(len(members)))) if len(members) > 1 else NONE


def _numbers(text: str, surroundings: Surroundings, around: Around) -> Family:
    digits = significant(text)
    if not digits or not NUMBER.fullmatch(text):
        return NONE
    size = CHUNK.get(len(digits), WIDE)

    def all_traits(member: str) -> Traits:
        return (*traits(member, surroundings), *around(member))

    members = chunk(sorted(neighbours(text, digits), key=Decimal), text, size, all_traits)
    return Family(members, min(MOST_BITS.get(len(digits), WIDE), math.log2(len(members)))) if len(members) > 1 else NONE


def chunk(universe: list[str], member: str, size: int, traits_of: Around) -> tuple[str, ...]:
    """The part of those alike `member` that holds it: parts are equal and hold at most `size`; empty if none does."""
    wanted = traits_of(member)
    alike = [each for each in universe if traits_of(each) == wanted]
    if member not in alike:
        return ()
    parts = math.ceil(len(alike) / size)
    bounds = [round(part * len(alike) / parts) for part in range(parts + 1)]
    return next(tuple(alike[low:high]) for low, high in pairwise(bounds) if member in alike[low:high])


def significant(text: str) -> list[int]:
    """Where the significant digits of a number stand: without zeros before and after."""
    places = [place for place, sign in enumerate(text) if sign.isdigit()]
    while places and text[places[0]] == "0":
        places = places[1:]
    while places and text[places[-1]] == "0":
        places = places[:-1]
    return places


def neighbours(text: str, digits: list[int]) -> Iterator[str]:
    """Numbers of the same make: other digits in the last place before a five, a quarter, or zeros."""
    end = "".join(text[place] for place in digits[-2:])
    if end in {"25", "75"}:
        varied, allowed = digits[-3:-2], ["0123456789"]
    elif end.endswith("5"):
        varied, allowed = digits[-2:-1] if len(digits) > 1 else [], ["01345689"]
    elif len(digits) in CHUNK:
        varied, allowed = digits[-1:], ["12346789"]
    else:
        varied, allowed = digits[-2:], ["0123456789", "12346789"]
    for chosen in product(*allowed[: len(varied)]):
        made = list(text)
        for place, digit in zip(varied, chosen, strict=True):
            made[place] = digit
        if varied and made[digits[0]] != "0":
            yield "".join(made)


def traits(text: str, surroundings: Surroundings) -> Traits:
    """What recognisers see in a number: two numbers with the same traits are alike to them."""
    value = Decimal(text)
    return (
        value in surroundings.numbers,
        *(Fraction(value) in made for made in reachable(surroundings.inputs)),
        famous("".join(text[place] for place in significant(text))),
        small_fraction(text),
    )


@functools.lru_cache(maxsize=64)
def reachable(inputs: tuple[Fraction, ...]) -> tuple[frozenset[Fraction], ...]:
    """What is made of inputs by: nothing, one step, adding, subtracting, multiplying, dividing two, and all of them."""
    pairs = list(combinations(inputs[:MOST_INPUTS], 2))
    return (
        frozenset(inputs),
        frozenset(value + step for value in inputs for step in (-1, 1)),
        frozenset(one + two for one, two in pairs),
        frozenset(abs(one - two) for one, two in pairs),
        frozenset(one * two for one, two in pairs),
        frozenset(ratio for one, two in pairs for ratio in _ratios(one, two) | _ratios(two, one)),
        frozenset({sum(inputs, Fraction()), Fraction(math.prod(inputs)), Fraction(len(inputs))}),
    )


def _ratios(one: Fraction, two: Fraction) -> set[Fraction]:
    return {one / two, Fraction(one // two), one % two} if two else set()


def famous(digits: str) -> Traits:
    """A square, a power of two or beside one, the same forwards and backwards, counting up or down."""
    value = int(digits)
    if len(digits) < SMALL:
        return ()
    steps = {int(two) - int(one) for one, two in pairwise(digits)}
    beside = [step for step in (-1, 0, 1) if (value + step).bit_count() == 1]
    return (math.isqrt(value) ** 2 == value, *beside, digits == digits[::-1], steps in ({1}, {-1}))


def small_fraction(text: str) -> Traits:
    """Many decimals that a fraction with a small denominator explains, rounded or cut, such as 2.3333."""
    decimals = len(text.partition(".")[2])
    if decimals < LEAST_DECIMALS:
        return ()
    value = Fraction(Decimal(text))
    missing = (value.limit_denominator(FRACTIONS) - value) * 10**decimals
    return (abs(missing) <= Fraction(1, 2), 0 <= missing < 1)


def row_traits(row: tuple[Any, ...]) -> Traits:
    """What recognisers see in a list: sorted, falling, evenly spaced, repeating itself."""
    try:
        rising = all(one <= two for one, two in pairwise(row))
        falling = all(one >= two for one, two in pairwise(row))
        distinct = len(set(row))
    except TypeError:
        return ()
    numeric = len(row) >= SMALL and all(isinstance(each, int | float) for each in row)
    even = numeric and len({round(two - one, 9) for one, two in pairwise(row)}) == 1
    return (rising, falling, distinct, even)
