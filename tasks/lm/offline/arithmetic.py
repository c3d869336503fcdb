"""Family `values`: a wrong constant, a wrong operator, a factor left out; found by comparing expected with actual."""

import ast
import re
from collections.abc import Callable, Iterator

from tasks.lm.offline.changes import replaced, segment
from tasks.lm.offline.hypotheses import Hypothesis
from tasks.lm.offline.suspects import Inquiry, Site

_SWAPS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-", "*"),
    ast.Sub: ("+",),
    ast.Mult: ("/", "+"),
    ast.Div: ("*", "//"),
    ast.FloorDiv: ("/", "%", "*"),
    ast.Mod: ("//", "/"),
}
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
}  # fmt: skip
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_FACTORS = ("{e} * {u}", "{e} + {u}", "{e} - {u}", "{e} / {u}", "{e} * (1 - {u})", "{e} * (1 + {u})",
            "{e} * (1 - {u} / 100)", "{e} * (1 + {u} / 100)")  # fmt: skip


def propose(inquiry: Inquiry) -> Iterator[Hypothesis]:
    """Every single change of the family at every site."""
    numbers = _spoken(inquiry)
    for depth, site in enumerate(inquiry.sites):
        ranges = _inside(site, _is_range)
        edges = ranges | _inside(site, lambda node: isinstance(node, ast.Compare))
        for node in site.body:
            if isinstance(node, ast.Constant) and id(node) not in ranges:
                yield from _constants(site, node, numbers, depth)
            elif id(node) in edges:
                continue
            elif isinstance(node, ast.BinOp):
                yield from _operators(site, node, depth)
            elif isinstance(node, ast.AugAssign):
                yield from _augmented(site, node, depth)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
                why = f"the wrong function: `{node.func.id}` where `{_CALLS[node.func.id]}` is meant"
                yield from _made(site, node.func, _CALLS[node.func.id], why, 3, depth)
            elif isinstance(node, ast.BoolOp):
                yield from _connectives(site, node, depth)
        yield from _factors(inquiry, site, depth, edges)


def _inside(site: Site, holds: Callable[[ast.AST], bool]) -> set[int]:
    """Nodes in slices, ranges or comparisons: what is wrong there is a boundary, and another family's question."""
    return {id(part) for holder in site.body if holds(holder) for part in ast.walk(holder)}


def _is_range(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "range"
    return isinstance(node, ast.Slice)


def _made(
    site: Site, node: ast.expr | ast.stmt, text: str, cause: str, cost: float, depth: int
) -> Iterator[Hypothesis]:
    change = replaced(site.path, list(site.lines), node, text)
    if change:
        yield Hypothesis("values", site.name, change, cause, cost + depth / 100)


def _spoken(inquiry: Inquiry) -> list[tuple[float, float]]:
    """(value, cost) of numbers that the issue speaks of, as they are and as percentages."""
    found: dict[float, float] = {}
    for match in re.finditer(r"(?<![\w.])(\d+(?:\.\d+)?)(\s*(?:%|percent|per cent))?", inquiry.issue):
        number = float(match[1])
        if match[2]:
            for value, cost in ((number / 100, 1.0), (number, 1.1), (1 + number / 100, 1.2), (1 - number / 100, 1.2)):
                found.setdefault(round(value, 10), cost)
        else:
            found.setdefault(number, 1.5)
    return list(found.items())


def _constants(site: Site, node: ast.Constant, numbers: list[tuple[float, float]], depth: int) -> Iterator[Hypothesis]:
    if type(node.value) not in (int, float):
        return
    for value, cost in numbers:
        if value == node.value:
            continue
        text = repr(int(value)) if value == int(value) and isinstance(node.value, int) else repr(value)
        old = segment(list(site.lines), node)
        yield from _made(site, node, text, f"a wrong constant: `{old}` should be `{text}`", cost, depth)


def _operators(site: Site, node: ast.BinOp, depth: int) -> Iterator[Hypothesis]:
    left, right = segment(list(site.lines), node.left), segment(list(site.lines), node.right)
    sign = _SIGNS.get(type(node.op))
    whole = segment(list(site.lines), node)
    if left is None or right is None or sign is None or whole is None:
        return
    tail = whole[whole.rindex(right) + len(right) :] if whole.count(right) else ""
    head = whole[: whole.index(left)]
    between = whole[len(head) + len(left) : len(whole) - len(right) - len(tail)]
    for other in _SWAPS.get(type(node.op), ()):
        if between.count(sign) != 1:
            continue
        text = head + left + between.replace(sign, other) + right + tail
        yield from _made(site, node, text, f"a wrong operator: `{sign}` should be `{other}`", 2, depth)
    if isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)):
        text = head + right + between + left + tail
        yield from _made(site, node, text, f"the operands of `{sign}` stand in the wrong order", 3, depth)


def _augmented(site: Site, node: ast.AugAssign, depth: int) -> Iterator[Hypothesis]:
    whole, sign = segment(list(site.lines), node), _SIGNS.get(type(node.op))
    for other in _SWAPS.get(type(node.op), ()):
        if whole and sign:
            text = whole.replace(f"{sign}=", f"{other}=", 1)
            yield from _made(site, node, text, f"a wrong operator: `{sign}=` should be `{other}=`", 2, depth)


def _connectives(site: Site, node: ast.BoolOp, depth: int) -> Iterator[Hypothesis]:
    whole = segment(list(site.lines), node)
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    if whole and whole.count(f" {old} ") == 1:
        text = whole.replace(f" {old} ", f" {new} ")
        yield from _made(site, node, text, f"a wrong connective: `{old}` should be `{new}`", 3, depth)


def _factors(inquiry: Inquiry, site: Site, depth: int, edges: set[int]) -> Iterator[Hypothesis]:
    """An operand that is there and not used, or a field beside one that is used."""
    if isinstance(site.node, ast.Module):
        return
    idle = _idle(site.node)
    for node in ast.walk(site.node):
        if isinstance(node, ast.Return) and node.value:
            yield from _joined(site, node.value, idle, "({e})", 2.6 + depth / 100)
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load):
            others = [] if id(node) in edges else [*idle, *_beside(inquiry, site, node)]
            yield from _joined(site, node, others, "{e}", 2.2 + depth / 100)


def _joined(site: Site, node: ast.expr, others: list[str], shape: str, cost: float) -> Iterator[Hypothesis]:
    text = segment(list(site.lines), node)
    for other in others if text else ():
        for rank, form in enumerate(_FACTORS):
            made = form.format(e=shape.format(e=text), u=other)
            yield from _made(site, node, made, f"`{other}` is left out of the calculation", cost + rank / 10, 0)


def _idle(function: ast.AST) -> list[str]:
    """Names that a function takes or binds and never reads."""
    bound = [node.arg for node in ast.walk(function) if isinstance(node, ast.arg)]
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    bound += [node.id for node in names if isinstance(node.ctx, ast.Store)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return [name for name in dict.fromkeys(bound) if name not in read and name not in ("self", "cls", "_")]


def _beside(inquiry: Inquiry, site: Site, node: ast.expr) -> list[str]:
    """For `x.a`, the unused `x.b` of a class with both; for `x["a"]`, the unused `x["b"]` of a literal with both."""
    used = {part.attr for part in ast.walk(site.node) if isinstance(part, ast.Attribute)}
    if isinstance(node, ast.Attribute) and (base := segment(list(site.lines), node.value)):
        return [f"{base}.{name}" for name in inquiry.fields_beside(node.attr) if name not in used]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        base = segment(list(site.lines), node.value)
        keys = {part.value for part in ast.walk(site.node) if isinstance(part, ast.Constant)}
        return [f'{base}["{key}"]' for key in inquiry.keys_beside(node.slice.value) if key not in keys and base]
    return []
