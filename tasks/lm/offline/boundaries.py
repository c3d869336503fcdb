"""Family `boundaries`: off-by-one ranges, slices and indices, inclusive against exclusive comparisons."""

import ast
from collections.abc import Iterator

from tasks.lm.offline.changes import replaced, segment
from tasks.lm.offline.hypotheses import Hypothesis
from tasks.lm.offline.suspects import Inquiry, Site

_EDGES: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}


def propose(inquiry: Inquiry) -> Iterator[Hypothesis]:
    """Every single change of the family at every site."""
    for depth, site in enumerate(inquiry.sites):
        if isinstance(site.node, ast.Module):
            continue
        for node in site.body:
            if isinstance(node, ast.Compare):
                yield from _comparisons(site, node, depth)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
                for argument in node.args:
                    yield from _shifted(site, argument, "an off-by-one range: its end is exclusive", 2, depth)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                yield from _subscripts(site, node, depth)
            elif isinstance(node, ast.BinOp):
                yield from _arithmetic(site, node, depth)
            elif isinstance(node, ast.Constant) and type(node.value) is int:
                yield from _shifted(site, node, "an off-by-one constant", 3.5, depth)


def _made(site: Site, node: ast.expr, text: str, cause: str, cost: float, depth: int) -> Iterator[Hypothesis]:
    change = replaced(site.path, list(site.lines), node, text)
    if change:
        yield Hypothesis("boundaries", site.name, change, cause, cost + depth / 100)


def _comparisons(site: Site, node: ast.Compare, depth: int) -> Iterator[Hypothesis]:
    operands = [node.left, *node.comparators]
    parts = [segment(list(site.lines), operand) for operand in operands]
    whole = segment(list(site.lines), node)
    if whole is None or None in parts:
        return
    for index, kind in enumerate(node.ops):
        if type(kind) not in _EDGES:
            continue
        old, new = _EDGES[type(kind)]
        start = operands[index].end_col_offset or 0
        raw = site.lines[node.lineno - 1].encode()
        between = raw[start : operands[index + 1].col_offset].decode()
        first, last = node.col_offset, node.end_col_offset
        text = (
            raw[first:start] + between.replace(old, new, 1).encode() + raw[start + len(between.encode()) : last]
        ).decode()
        kind_of = "inclusive" if "=" in new else "exclusive"
        cause = f"the boundary is on the wrong side: `{old}` should be `{new}`, so that the comparison is {kind_of}"
        yield from _made(site, node, text, cause, 1, depth)


def _shifted(site: Site, node: ast.expr, cause: str, cost: float, depth: int) -> Iterator[Hypothesis]:
    text = segment(list(site.lines), node)
    if text is None:
        return
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for value in (node.value + 1, node.value - 1):
            yield from _made(site, node, repr(value), f"{cause}; `{text}` should be `{value}`", cost, depth)
        return
    trimmed = _without_one(node, site)
    if trimmed:
        yield from _made(site, node, trimmed, f"{cause}; `{text}` should be `{trimmed}`", cost - 0.2, depth)
    for sign in "+-":
        made = f"{text} {sign} 1"
        yield from _made(site, node, made, f"{cause}; `{text}` should be `{made}`", cost, depth)


def _without_one(node: ast.expr, site: Site) -> str | None:
    """`x` for `x + 1` and `x - 1`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(node.right, ast.Constant):
        return segment(list(site.lines), node.left) if node.right.value == 1 else None
    return None


def _subscripts(site: Site, node: ast.Subscript, depth: int) -> Iterator[Hypothesis]:
    if isinstance(node.slice, ast.Slice):
        for part in (node.slice.lower, node.slice.upper):
            if part is not None:
                yield from _shifted(site, part, "an off-by-one slice", 2.1, depth)
    else:
        yield from _shifted(site, node.slice, "an off-by-one index", 2.3, depth)


def _arithmetic(site: Site, node: ast.BinOp, depth: int) -> Iterator[Hypothesis]:
    left, right = segment(list(site.lines), node.left), segment(list(site.lines), node.right)
    if isinstance(node.op, ast.FloorDiv) and left and right:
        cause = f"the last, partial group is missing: `{left} // {right}` rounds down, an off-by-one at the boundary"
        yield from _made(site, node, f"-(-{_held(node.left, left)} // {right})", cause, 2.4, depth)
        yield from _made(site, node, f"{left} // {right} + 1", cause, 2.8, depth)
    elif isinstance(node.op, (ast.Add, ast.Sub)):
        trimmed = _without_one(node, site)
        if trimmed:
            yield from _made(site, node, trimmed, f"an off-by-one: the boundary is `{trimmed}`", 2.5, depth)
    if isinstance(node.op, (ast.Add, ast.Sub)) and left and right:
        for sign in "+-":
            made = f"{left} {'+' if isinstance(node.op, ast.Add) else '-'} {right} {sign} 1"
            yield from _made(site, node, made, f"an off-by-one: the boundary is `{made}`", 3, depth)


def _held(node: ast.expr, text: str) -> str:
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript)) else f"({text})"
