"""Twins: near mutations of what a test expects, one of which is the original to somebody who cannot see which.

Takes    the text of a test file, a node of it, and what can be read elsewhere.
Gives    Candidates: sites where a family of values can stand, spares where nothing but a recognisable change can;
         composed of those that proved valid: twins, and the bits of doubt that they leave.
Refuses  (Unfit) a node whose test is not written in the file as a function or method, or whose row cannot be told.
Covered      Twins take every combination of values of the chosen sites but one, so each value stands as often as any
             other, beside each other: no majority shows the original, and who recognises one value has not recognised
             the rest. Equal values are one site. An expectation without a site gets a spare, in which those with one
             expect nothing, so that it does not show their values; it keeps objects that equal everything from passing
             and adds no bits. Bits are counted down to log2 of the combinations from which these same families follow.
Not covered  see `families`.
Source       DESIGN.md, "Running and grading code"; grading tier "twinned".
"""

import ast
import math
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from tasks.records.grading import Change
from tasks.workspace.expectations import (
    Expectation,
    Function,
    Place,
    change,
    expectations,
    parameter_names,
    parametrize_of,
    span_of,
)  # fmt: skip
from tasks.workspace.families import Surroundings, family, numbers_in, row_traits

ROW_ID = "row"
MOST_SITES = 8
Changes = tuple[Change, ...]


class Unfit(ValueError):
    """Why a node cannot have twins."""


@dataclass(frozen=True)
class Site:
    """Places of one value; `members` is its family, `options` the changes to each other member of it."""

    expectations: frozenset[int]
    ordinals: tuple[tuple[int, int], ...]
    members: tuple[str, ...]
    options: tuple[Changes, ...]
    bits: float


@dataclass(frozen=True)
class Candidates:
    """What can be changed about a node: sites, best first; and for each expectation its spares, nearest first."""

    sites: tuple[Site, ...]
    spares: tuple[tuple[Change, ...], ...]
    blanks: tuple[Changes, ...]
    row: int | None


class Located(NamedTuple):
    """A test function in its module, and the row of its parametrization that a node runs."""

    function: Function
    row: int | None

    @property
    def cells(self) -> ast.expr | None:
        return None if self.row is None else _rows(self.function)[self.row]


def candidates(source: str, node: str, numbers: frozenset[Any], others: Counter[str]) -> Candidates:
    """What can be changed about one node. `others` counts the values that other tests expect.

    Raises Unfit.
    """
    module = ast.parse(source)
    located = locate(module, node)
    expected = expectations(located.function, located.cells)
    sites = _sites(expected, surroundings(module, located, expected, numbers), others)
    return Candidates(
        sites=tuple(sorted(sites, key=lambda site: (-site.bits, site.ordinals))[:MOST_SITES]),
        spares=tuple(tuple(each.spares) for each in expected),
        blanks=tuple(each.blanks for each in expected),
        row=located.row,
    )


def path_of(node: str) -> tuple[str, list[str], str]:
    """(file, classes and function, parameters) of a node id."""
    file, _, rest = node.partition("::")
    names, _, parameters = rest.partition("[")
    return file, names.split("::"), parameters.removesuffix("]")


def body_of(module: ast.Module, classes: list[str]) -> list[ast.stmt]:
    """The statements of the innermost class. Raises Unfit when there is none."""
    body = module.body
    for name in classes:
        found = [each for each in body if isinstance(each, ast.ClassDef) and each.name == name]
        if not found:
            raise Unfit("its class is not written in its file")
        body = found[-1].body
    return body


def locate(module: ast.Module, node: str) -> Located:
    """The function of a node. Raises Unfit."""
    _, names, parameters = path_of(node)
    found = [each for each in body_of(module, names[:-1]) if isinstance(each, Function) and each.name == names[-1]]
    if not found:
        raise Unfit("its function is not written in its file")
    decorators = parametrize_of(found[-1])
    if not parameters and not decorators:
        return Located(found[-1], None)
    ids = _row_ids(decorators[0]) if len(decorators) == 1 else []
    if ids.count(parameters) != 1:
        raise Unfit("its row of parameters cannot be told from its source")
    return Located(found[-1], ids.index(parameters))


def _rows(function: Function) -> list[ast.expr]:
    values = parametrize_of(function)[0].args[1:2]
    return list(values[0].elts) if values and isinstance(values[0], ast.List | ast.Tuple) else []


def _row_ids(call: ast.Call) -> list[str]:
    """How pytest calls the rows; an empty id where it would need more than the source to say."""
    rows = call.args[1] if len(call.args) > 1 else None
    if not isinstance(rows, ast.List | ast.Tuple) or {"indirect", "scope"} & {word.arg for word in call.keywords}:
        return []
    given = next((word.value for word in call.keywords if word.arg == "ids"), None)
    if given is not None and not (isinstance(given, ast.List | ast.Tuple) and len(given.elts) == len(rows.elts)):
        return []
    names = parameter_names(call)
    return [
        _own_id(row) or (_text_of(given.elts[number]) if given is not None else _id_of(row, names, number))
        for number, row in enumerate(rows.elts)
    ]


def _own_id(row: ast.expr) -> str:
    keywords = row.keywords if isinstance(row, ast.Call) else []
    return next((_text_of(word.value) for word in keywords if word.arg == "id"), "")


def _id_of(row: ast.expr, names: list[str], number: int) -> str:
    words = []
    inner = (
        row.args
        if isinstance(row, ast.Call)
        else row.elts
        if len(names) > 1 and isinstance(row, ast.Tuple | ast.List)
        else [row]
    )
    for name, cell in zip(names, inner, strict=False):
        words.append(_text_of(cell) or f"{name}{number}")
    return "-".join(words)


def _text_of(cell: ast.expr) -> str:
    """The text that stands for a plain value in an id."""
    try:
        value = ast.literal_eval(cell)
    except ValueError:
        return ""
    return str(value) if isinstance(value, str | int | float | bool | None) else ""


def surroundings(
    module: ast.Module, located: Located, expected: list[Expectation], numbers: frozenset[Any]
) -> Surroundings:
    """What stands around the sites of a test: its own literals, and those at the top of its file."""
    sites = {id(place.constant) for each in expected for place in each.places}
    top = [each for each in module.body if not isinstance(each, Function | ast.ClassDef)]
    inside = [each for part in (*top, located.function) for each in ast.walk(part)]
    values = [each.value for each in inside if isinstance(each, ast.Constant) and id(each) not in sites]
    words = frozenset(value for value in values if isinstance(value, str) and value.isascii() and value[:1].isalpha())
    inputs = {number for value in values for number in _number(value)}
    return Surroundings(numbers=numbers, words=words, inputs=tuple(sorted(inputs)))


def _number(value: object) -> Iterator[Fraction]:
    """The value, if it is a number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        yield Fraction(str(value))


def expected_values(source: str, nodes: Iterable[str]) -> tuple[Counter[str], frozenset[Any]]:
    """(how many tests expect each value, the numbers that stand elsewhere in a test file)."""
    module = ast.parse(source)
    counts: Counter[str] = Counter()
    for located in _all_located(module, nodes):
        places = [place for each in expectations(located.function, located.cells) for place in each.places]
        counts.update({repr(place.constant.value) for place in places})
        for place in places:
            place.constant.value = None
    return counts, frozenset(numbers_in(ast.unparse(module)))


def _all_located(module: ast.Module, nodes: Iterable[str]) -> Iterator[Located]:
    for node in nodes:
        try:
            yield locate(module, node)
        except Unfit:
            continue


def _sites(expected: list[Expectation], around: Surroundings, others: Counter[str]) -> Iterator[Site]:
    """A site for each distinct value that no other test expects, if it has a family."""
    places: dict[str, list[tuple[int, int, Place]]] = {}
    for number, each in enumerate(expected):
        for ordinal, place in enumerate(each.places):
            places.setdefault(repr(place.constant.value), []).append((number, ordinal, place))
    for text, found in places.items():
        if others[text] == 0:
            beside = {one for other in places if other != text for one in _number(places[other][0][2].constant.value)}
            made = _site(text, found, replace(around, inputs=tuple(sorted({*around.inputs, *beside}))))
            clash = sum(others[member] for member in made.members)
            if made.bits and not clash:
                yield made


def _site(text: str, found: list[tuple[int, int, Place]], around: Surroundings) -> Site:
    value = found[0][2].constant.value

    def containers(member: str) -> tuple[object, ...]:
        return tuple(row_traits(_with(place, ast.literal_eval(member))) for _, _, place in found)

    kin = family(value, around, containers)
    options = [tuple(change(place.constant, each) for _, _, place in found) for each in kin.members if each != text]
    return Site(
        expectations=frozenset(number for number, _, _ in found),
        ordinals=tuple((number, ordinal) for number, ordinal, _ in found),
        members=kin.members,
        options=tuple(options),
        bits=kin.bits,
    )


def _with(place: Place, member: Any) -> tuple[Any, ...]:
    """The row around a place, with another value in it, under the same sign."""
    row = list(place.row)
    if row:
        row[place.at] = member if row[place.at] == place.constant.value else -member
    return tuple(row)


def combinations(sites: Iterable[Site], most: int) -> tuple[list[Site], list[Changes]]:
    """The best sites whose values have at most `most` combinations, and all combinations but the original's."""
    chosen: list[Site] = []
    size = 1
    for site in sites:
        if size * len(site.members) <= most:
            chosen.append(site)
            size *= len(site.members)
    choices: list[tuple[Changes, ...]] = [((), *site.options) for site in chosen]
    combined = [tuple(each for changes in choice for each in changes) for choice in product(*choices)]
    return chosen, combined[1:] if chosen else []


def spare(found: Candidates, number: int, nth: int, varied: frozenset[int]) -> Changes:
    """The nth spare of an expectation, in which those that vary expect nothing."""
    forgotten = [each for other in sorted(varied - {number}) for each in found.blanks[other]]
    return (found.spares[number][nth], *forgotten)


def consistent(
    source: str, node: str, numbers: frozenset[Any], others: Counter[str], chosen: list[Site], twins: list[Changes]
) -> int:
    """How many of the original and its twins bring these same families: nobody can rule those out by our own rule."""
    wanted = {(site.ordinals, site.members) for site in chosen}
    count = 1
    for changes in twins:
        module = ast.parse(source)
        located = locate(module, node)
        Changed(changes).visit(located.function)
        expected = expectations(located.function, located.cells)
        found = _sites(expected, surroundings(module, located, expected, numbers), others)
        count += wanted <= {(site.ordinals, site.members) for site in found}
    return count


class Changed(ast.NodeTransformer):
    """A function under changes."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self.replacements = {each.span: each.replacement for each in changes}

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr | ast.stmt) and not isinstance(node, ast.JoinedStr):
            text = self.replacements.get(span_of(node))
            if text is not None:
                first = ast.parse(text).body[0]
                return _at(node, first.value if isinstance(node, ast.expr) and isinstance(first, ast.Expr) else first)
        return node if isinstance(node, ast.JoinedStr) else self.generic_visit(node)


def _at(node: ast.AST, made: ast.AST) -> ast.AST:
    """Everything of a replacement stands where the replaced stood."""
    for inside in ast.walk(made):
        ast.copy_location(inside, node)
    return made


class Variant(NamedTuple):
    """One copy of a test: of which node, under which changes, by which name."""

    node: str
    row: int | None
    changes: Changes
    name: str

    @property
    def id(self) -> str:
        file, names, _ = path_of(self.node)
        return "::".join([file, *names[:-1], self.name]) + (f"[{ROW_ID}]" if self.row is not None else "")


def written(source: str, variants: Iterable[Variant]) -> str:
    """The file with these copies, in this order, in the place of all its tests."""
    module = ast.parse(source)
    copies = [(path_of(each.node)[1][:-1], _copied(module, each)) for each in variants]
    _without_tests(module.body)
    for classes, made in copies:
        body_of(module, classes).append(made)
    for each in ast.walk(module):
        if isinstance(each, ast.Constant):
            each.kind = None  # u"..." would mark the copies whose text was not replaced
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def _without_tests(body: list[ast.stmt]) -> None:
    body[:] = [each for each in body if not (isinstance(each, Function) and each.name.startswith("test_"))]
    for each in body:
        if isinstance(each, ast.ClassDef):
            _without_tests(each.body)
            each.body = each.body or [ast.Pass()]


def _copied(module: ast.Module, variant: Variant) -> Function:
    located = locate(module, variant.node)
    made: Function = pickle.loads(pickle.dumps(located.function))  # noqa: S301 - ours; five times as fast as deepcopy
    Changed(variant.changes).visit(made)
    made.name = variant.name
    if located.row is not None:
        call = parametrize_of(made)[0]
        row = _rows(made)[located.row]
        if isinstance(row, ast.Call):
            row.keywords = [word for word in row.keywords if word.arg != "id"]
        call.args[1] = ast.List([row], ast.Load())
        ids = ast.keyword("ids", ast.List([ast.Constant(ROW_ID)], ast.Load()))
        call.keywords = [*(word for word in call.keywords if word.arg != "ids"), ids]
    return made
