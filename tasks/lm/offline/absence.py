"""Family `absence`: empty, missing or None input that no code provides for; a guard or a default before the fault."""

import ast
import re
from collections.abc import Iterator

from tasks.lm.offline.changes import Change, replaced, segment
from tasks.lm.offline.failure import is_test
from tasks.lm.offline.hypotheses import Hypothesis
from tasks.lm.offline.suspects import Def, Inquiry, Site
from tasks.lm.offline.walk.program import Outcome

_VALUES = ("0.0", "0", "None", "[]", '""', "{}", "False", "True", "()")
_SPOKEN = {"None": r"\bNone\b|\bnull\b", "0": r"(?<![\d.])0(?![\d.])|\bzero\b", "0.0": r"(?<![\d.])0\.0(?!\d)",
           "[]": r"\[\]|empty list", '""': r'""|empty string', "{}": r"\{\}|empty dict"}  # fmt: skip
_EMPTY = re.compile(
    r"\bempt|\bblank|\bmissing|\bnothing|\bno \w+|\bwithout\b|\bNone\b|\[\]|\{\}|\"\"|''", re.IGNORECASE
)


def propose(inquiry: Inquiry) -> Iterator[Hypothesis]:
    """Guards and defaults along the way of the first failing test, the innermost line first."""
    outcome = next(iter(inquiry.failing.values()), None)
    if outcome is None:
        return
    values = _values(inquiry, outcome)
    way = [(path, line) for path, line in reversed(outcome.at) if not is_test(path)]
    for depth, (path, line) in enumerate(way):
        site = inquiry.site(path, line)
        if site is not None:
            yield from _at(site, line, values, depth)
    if outcome.verdict == "failed" and _EMPTY.search(inquiry.issue):
        for depth, site in enumerate(inquiry.sites):
            if isinstance(site.node, Def):
                yield from _on_entry(site, site.node, values, depth)


def _values(inquiry: Inquiry, outcome: Outcome) -> list[str]:
    """Statements for the absent case: what the test expects, what the issue speaks of, then the usual."""
    sides = [repr(outcome.sides[1])] if outcome.sides and _plain(outcome.sides[1]) else []
    expected = [value for value in sides if value in _VALUES]
    written = re.search(
        r"==\s*(-?\d+(?:\.\d+)?|None|\[\]|\{\}|''|\"\"|True|False)\s*$", inquiry.failure.text, re.MULTILINE
    )
    spoken = [value for value in _VALUES if value in _SPOKEN and re.search(_SPOKEN[value], inquiry.issue)]
    plain = [written[1]] if written and written[1] in _VALUES else []
    ordered = dict.fromkeys([*spoken, *expected, *plain, *_VALUES, *sides])
    return [f"return {value}" for value in ordered]


def _plain(value: object) -> bool:
    return (
        value is None or (isinstance(value, (int, float, str, bool)) and len(repr(value)) < 60) or value in ([], {}, ())
    )


def _at(site: Site, line: int, values: list[str], depth: int) -> Iterator[Hypothesis]:
    statement = _statement(site.node, line)
    if statement is None:
        return
    for node in ast.walk(statement):
        yield from _defaults(site, node, values, depth)
    inside_loop = any(
        isinstance(node, (ast.For, ast.While)) and node.lineno < line <= (node.end_lineno or 0)
        for node in ast.walk(site.node)
    )
    yield from _fallbacks(site, statement, values, depth)
    for subject, weight in _subjects(statement).items():
        for test in (f"not {subject}", f"{subject} is None"):
            for rank, value in enumerate(values):
                cost = 1 + weight + depth + rank / 50 + (0.3 if test.endswith("None") else 0)
                yield from _guard(site, statement.lineno, test, value, cost)
            if inside_loop:
                yield from _guard(site, statement.lineno, test, "continue", 2 + weight + depth)


def _fallbacks(site: Site, statement: ast.stmt, values: list[str], depth: int) -> Iterator[Hypothesis]:
    """`(x or 0)` where x may be None."""
    for node in ast.walk(statement):
        if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
            continue
        text = segment(list(site.lines), node)
        for rank, value in enumerate(value.removeprefix("return ") for value in values):
            change = replaced(site.path, list(site.lines), node, f"({text} or {value})") if text else None
            if change and value in ("0", "0.0", "[]", '""', "{}", "()"):
                cause = f"`{text}` can be missing (None) and nothing provides for it"
                yield Hypothesis("absence", site.name, change, cause, 0.8 + depth + rank / 50)


def _statement(function: ast.AST, line: int) -> ast.stmt | None:
    """The innermost statement of a function at a line."""
    held = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and node is not function and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(held, key=lambda node: node.lineno, default=None)


def _subjects(statement: ast.stmt) -> dict[str, float]:
    """What may be absent in a statement, with a cost: divisors, what is indexed or searched, any name that is read."""
    found: dict[str, float] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)):
            _note(found, _counted(node.right), 0)
        elif isinstance(node, (ast.Subscript, ast.Attribute)):
            _note(found, node.value, 0.1)
        elif isinstance(node, ast.Call):
            for argument in node.args:
                _note(found, argument, 0.1)
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            _note(found, node, 0.4)
    return found


def _counted(node: ast.expr) -> ast.expr:
    """For `len(x)` and `sum(x)`, x."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("len", "sum") and node.args:
        return node.args[0]
    return node


def _note(found: dict[str, float], node: ast.expr, weight: float) -> None:
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    if isinstance(inner, ast.Name):
        found.setdefault(ast.unparse(node), weight)


def _guard(site: Site, line: int, test: str, action: str, cost: float) -> Iterator[Hypothesis]:
    old = site.lines[line - 1]
    indent = old[: len(old) - len(old.lstrip())]
    new = f"{indent}if {test}:\n{indent}    {action}\n{old}"
    subject = test.removeprefix("not ").removesuffix(" is None")
    state = "missing (None)" if test.endswith("None") else "empty"
    cause = f"`{subject}` can be {state} and nothing provides for it"
    yield Hypothesis("absence", site.name, Change(site.path, line, old, new), cause, cost)


def _defaults(site: Site, node: ast.AST, values: list[str], depth: int) -> Iterator[Hypothesis]:
    for rank, value in enumerate(value.removeprefix("return ") for value in values):
        cost = 1.2 + depth + rank / 50
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice):
            held, key = segment(list(site.lines), node.value), segment(list(site.lines), node.slice)
            change = (
                replaced(site.path, list(site.lines), node, f"{held}.get({key}, {value})") if held and key else None
            )
            if change:
                cause = f"the key `{key}` can be missing from `{held}`"
                yield Hypothesis("absence", site.name, change, cause, cost)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("next", "max", "min") and len(node.args) == 1:
            text = segment(list(site.lines), node)
            name = "" if ast.unparse(node.func) == "next" else "default="
            made = f"{_closed(node, text)}, {name}{value})" if text else ""
            change = replaced(site.path, list(site.lines), node, made) if made else None
            if change:
                yield Hypothesis(
                    "absence", site.name, change, "the sequence can be empty and no default is given", cost
                )


def _closed(call: ast.Call, text: str) -> str:
    """The call without its closing bracket; a bare generator needs brackets of its own beside a second argument."""
    name, _, inner = text[:-1].partition("(")
    return f"{name}(({inner})" if isinstance(call.args[0], ast.GeneratorExp) else text[:-1]


def _on_entry(
    site: Site, node: ast.FunctionDef | ast.AsyncFunctionDef, values: list[str], depth: int
) -> Iterator[Hypothesis]:
    first = node.body[1] if len(node.body) > 1 and ast.get_docstring(node) is not None else node.body[0]
    names = [arg.arg for arg in [*node.args.posonlyargs, *node.args.args] if arg.arg not in ("self", "cls")]
    for name in names:
        for rank, value in enumerate(values[:4]):
            yield from _guard(site, first.lineno, f"{name} is None", value, 3 + depth / 10 + rank / 50)
            yield from _guard(site, first.lineno, f"not {name}", value, 3.3 + depth / 10 + rank / 50)
