"""Expectations: what a test says must come out, and where in its source it says so.

Takes    a test function as `ast` sees it, and the row of its parametrization that is meant.
Gives    its Expectations in source order: the literals of each, how to make it expect nothing, and changes that make it
         expect something else.
Refuses  nothing. What it does not understand has no places, and can only be turned into its opposite.
Covered      `assert x == literal`, `assertEqual`, `approx(...)`, `"text" in x`, `raises(X)` with and without `match=`,
             `assertRaises`, literals that stand in a local name or in a parametrized row, any other assert as a whole.
Not covered  expected values that are computed, or kept in a global; soft checks by helpers.
Source       DESIGN.md, "Running and grading code"; grading tier "twinned".
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tasks.records.grading import Change

Function = ast.FunctionDef | ast.AsyncFunctionDef
WRAPPERS = frozenset({"approx", "set", "frozenset", "tuple", "list", "dict", "sorted"})
EQUALITIES = frozenset({"assertEqual", "assertEquals", "assertAlmostEqual", "assertListEqual", "assertDictEqual"})
RAISERS = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
SIBLINGS = {
    "ValueError": "TypeError", "TypeError": "ValueError", "KeyError": "IndexError", "IndexError": "KeyError",
    "LookupError": "ArithmeticError", "ZeroDivisionError": "OverflowError", "AttributeError": "NameError",
    "FileNotFoundError": "PermissionError", "RuntimeError": "NotImplementedError", "OSError": "EOFError",
}  # fmt: skip
LETTER = re.compile(r"[A-Za-z0-9]")
DIGIT = re.compile(r"\d(?!.*\d)", re.DOTALL)


class Place(NamedTuple):
    """One literal of an expectation; `row` are the literals of the list or tuple around it, itself `at` a place."""

    constant: ast.Constant
    row: tuple[Any, ...] = ()
    at: int = 0


@dataclass
class Expectation:
    """`blanks` make it expect nothing; each of `spares` alone makes it expect something else."""

    blanks: tuple[Change, ...] = ()
    places: list[Place] = field(default_factory=list)
    spares: list[Change] = field(default_factory=list)


def change(node: ast.expr | ast.stmt, replacement: str) -> Change:
    """The source of `node`, replaced."""
    line, column, end_line, end_column = span_of(node)
    return Change(line=line, column=column, end_line=end_line, end_column=end_column, replacement=replacement)


def span_of(node: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
    """Where the source of `node` begins and ends, as a Change says it."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def name_of(function: ast.expr) -> str:
    """`pytest.raises` and `raises` are both called raises."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def expectations(function: Function, row: ast.expr | None = None) -> list[Expectation]:
    """Every expectation of a test, in source order."""
    named = {**parameters(function, row), **locals_of(function)}
    found: list[Expectation] = []
    statements = [each for each in ast.walk(function) if isinstance(each, ast.stmt)]
    for statement in sorted(statements, key=lambda each: (each.lineno, each.col_offset)):
        if isinstance(statement, ast.Assert):
            found.append(_asserted(statement, named))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            found += _called(statement, statement.value, named)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            found += [_raised(item.context_expr) for item in statement.items if _is_raiser(item.context_expr)]
    return found


def locals_of(function: Function) -> dict[str, ast.expr]:
    """Local names that are assigned once, and to what."""
    stores = [name.id for name in ast.walk(function) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
    once: dict[str, ast.expr] = {}
    for each in ast.walk(function):
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            once[each.targets[0].id] = each.value
    return {name: value for name, value in once.items() if stores.count(name) == 1}


def parametrize_of(function: Function) -> list[ast.Call]:
    """Its `parametrize` decorators."""
    calls = [each for each in function.decorator_list if isinstance(each, ast.Call)]
    return [call for call in calls if name_of(call.func) == "parametrize"]


def parameter_names(call: ast.Call) -> list[str]:
    """`"x, want"` or `["x", "want"]`; empty if they are anything else."""
    names = call.args[0] if call.args else None
    if isinstance(names, ast.Constant) and isinstance(names.value, str):
        return [name.strip() for name in names.value.split(",") if name.strip()]
    if isinstance(names, ast.List | ast.Tuple):
        return [each.value for each in names.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return []


def cells(row: ast.expr, columns: int) -> list[ast.expr]:
    """What a row holds for each of its parameters."""
    if isinstance(row, ast.Call) and name_of(row.func) == "param":
        return row.args
    return list(row.elts) if columns > 1 and isinstance(row, ast.List | ast.Tuple) else [row]


def parameters(function: Function, row: ast.expr | None) -> dict[str, ast.expr]:
    """Parametrized names, and their values in one row."""
    decorators = parametrize_of(function)
    if row is None or len(decorators) != 1:
        return {}
    names = parameter_names(decorators[0])
    return dict(zip(names, cells(row, len(names)), strict=False))


def is_literal(expression: ast.expr) -> bool:
    """Written out: constants, containers of such, and constructors of values around them."""
    match expression:
        case ast.Constant():
            return True
        case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Set(elts=inner):
            return all(map(is_literal, inner))
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and is_literal(key) for key in keys) and all(map(is_literal, values))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return is_literal(operand)
        case ast.Call(func=func, args=inner):
            name = name_of(func)
            return bool(inner) and (name in WRAPPERS or name[:1].isupper()) and all(map(is_literal, inner))
        case _:
            return False


def places_in(expression: ast.expr, row: tuple[Any, ...] = (), at: int = 0) -> Iterator[Place]:
    """The literals of a literal expression."""
    match expression:
        case ast.Constant():
            yield Place(expression, row, at)
        case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Set(elts=inner):
            values = tuple(_plain(each) for each in inner)
            for number, each in enumerate(inner):
                yield from places_in(each, values, number)
        case ast.Dict(keys=keys, values=values_of):
            for key in (*keys, *values_of):
                if key is not None:
                    yield from places_in(key)
        case ast.UnaryOp(operand=operand):
            yield from places_in(operand, row, at)
        case ast.Call(args=inner):
            for each in inner[:1] if name_of(expression.func) == "approx" else inner:
                yield from places_in(each)


def _plain(expression: ast.expr) -> Any:
    try:
        return ast.literal_eval(expression)
    except ValueError:
        return None


def _sides(
    left: ast.expr, right: ast.expr, named: dict[str, ast.expr]
) -> tuple[ast.expr, ast.expr, tuple[Change, ...]]:  # fmt: skip
    """(what is tested, what is expected of it, changes that forget a value kept in a name)."""
    tested, expected = (right, left) if is_literal(left) and not is_literal(right) else (left, right)
    for name in (expected, tested):
        if isinstance(name, ast.Name) and name.id in named and is_literal(named[name.id]):
            return (tested if name is expected else expected), named[name.id], (change(named[name.id], "None"),)
    return tested, expected, ()


def _equal(
    statement: ast.stmt, sides: tuple[ast.expr, ast.expr], named: dict[str, ast.expr], otherwise: Change
) -> Expectation:
    tested, expected, forgotten = _sides(*sides, named)
    made = Expectation(blanks=(change(statement, ast.unparse(tested)), *forgotten), spares=[otherwise])
    if is_literal(expected):
        made.places = list(places_in(expected))
        made.spares = [near for place in made.places[:3] for near in nearby(place.constant)]
        made.spares += [change(expected, other) for other in emptied(expected)] + [otherwise]
    return made


def _asserted(statement: ast.Assert, named: dict[str, ast.expr]) -> Expectation:
    test = statement.test
    opposite = change(test, f"not ({ast.unparse(test)})")
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _equal(statement, (left, right), named, opposite)
        case ast.Compare(left=ast.Constant() as part, ops=[ast.In()], comparators=[whole]):
            blanks = (change(statement, ast.unparse(whole)),)
            return Expectation(blanks, [Place(part)], [*nearby(part), opposite])
        case _:
            return Expectation(blanks=(change(statement, ast.unparse(test)),), spares=[opposite])


def _called(statement: ast.Expr, call: ast.Call, named: dict[str, ast.expr]) -> Iterator[Expectation]:
    name = name_of(call.func)
    if name in EQUALITIES and len(call.args) >= 2 and isinstance(call.func, ast.Attribute):
        opposite = change(call.func, f"{ast.unparse(call.func.value)}.assertNotEqual")
        yield _equal(statement, (call.args[0], call.args[1]), named, opposite)
    elif name in RAISERS and call.args:
        yield _raised(call)


def _is_raiser(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Call) and name_of(expression.func) in RAISERS and bool(expression.args)


def _raised(call: ast.expr) -> Expectation:
    assert isinstance(call, ast.Call)  # noqa: S101 - asked by _is_raiser
    made = Expectation()
    for keyword in call.keywords:
        if keyword.arg == "match" and isinstance(keyword.value, ast.Constant):
            made.spares += nearby(keyword.value)
    made.spares.append(change(call.args[0], SIBLINGS.get(ast.unparse(call.args[0]), "ZeroDivisionError")))
    return made


def nearby(constant: ast.Constant) -> Iterator[Change]:
    """A value of the same kind beside it: the next number, another letter, the other truth."""
    match constant.value:
        case bool() as truth:
            yield change(constant, repr(not truth))
        case int() as number:
            yield change(constant, repr(number + 1))
        case float() as number:
            unit = 10.0 ** -len(repr(number).partition(".")[2])
            yield from (change(constant, repr(round(number + step, 12))) for step in (unit, number * 0.07 or 1.0))
        case str() as text if found := LETTER.search(text):
            if last := DIGIT.search(text):  # whose text holds every number holds the next one, too
                yield change(constant, repr(text[: last.start()] + str((int(last[0]) + 1) % 10) + text[last.end() :]))
            letter = found[0]
            other = chr(ord(letter) - 1) if letter in "zZ9" else chr(ord(letter) + 1)
            yield change(constant, repr(text[: found.start()] + other + text[found.end() :]))
        case str() as text:
            yield change(constant, repr(text + "x"))
        case None:
            yield change(constant, "0")


def emptied(expected: ast.expr) -> Iterator[str]:
    """Something in the place of an empty container."""
    match expected:
        case ast.List(elts=[]):
            yield "[None]"
        case ast.Tuple(elts=[]):
            yield "(None,)"
        case ast.Dict(keys=[]):
            yield "{None: None}"
