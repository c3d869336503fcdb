"""Answers: what a function says when it has stopped listening.

Takes    a function as its author repaired it, and literals that the public tests expect.
Gives    the body of a function that answers None, NaN, an empty value, its first argument, or a constant: of the type
         that its annotation or its own `return` shows, and, if there is one of that type, what a public test expects.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tasks.records.tree import SourceTree
from tasks.workspace.symbols import parse

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = Function | ast.Lambda | ast.ClassDef
KINDS = ("None", "NaN", "empty", "first argument", "constant")
CONSTANTS: dict[type, str] = {
    str: "'x'", int: "1", float: "1.0", bool: "True", bytes: "b'x'", list: "[0]", dict: "{0: 0}", tuple: "(0,)",
    set: "{0}",
}  # fmt: skip
NAMED: dict[str, type] = {
    **{kind.__name__: kind for kind in CONSTANTS},
    **dict.fromkeys(("Sequence", "Iterable", "Iterator", "Generator", "List", "sorted"), list),
    **dict.fromkeys(("round", "sum", "len", "abs", "max", "min"), int),
    **dict.fromkeys(("any", "all", "isinstance"), bool),
    **dict.fromkeys(("Mapping", "Dict"), dict),
}  # annotations, and functions of Python's whose answers are returned
SHOWN: tuple[tuple[type[ast.expr] | tuple[type[ast.expr], ...], type], ...] = (
    (ast.JoinedStr, str), ((ast.List, ast.ListComp), list), ((ast.Dict, ast.DictComp), dict), (ast.Tuple, tuple),
    ((ast.Set, ast.SetComp), set), (ast.Compare, bool), (ast.BinOp, int),
)  # fmt: skip


class Answer(NamedTuple):
    """One kind of answer, and the literals that public tests expect, as text."""

    kind: str
    literals: tuple[str, ...]

    def value(self, instead_of: ast.expr | None, first: str | None = None) -> ast.expr:
        """The expression that is said in the place of another one."""
        return ast.parse(self._text(type_of(instead_of), first), mode="eval").body

    def _text(self, shown: type | None, first: str | None) -> str:
        match self.kind:
            case "NaN":
                return "float('nan')"
            case "empty":
                return repr((shown or self._expected() or str)())
            case "first argument":
                return str(first)
            case "constant":
                return self._constant(shown)
        return "None"

    def _constant(self, shown: type | None) -> str:
        alike = (text for text in self.literals if shown is None or _alike(type(ast.literal_eval(text)), shown))
        return next(alike, None) or CONSTANTS[shown or str]

    def _expected(self) -> type | None:
        return next((kind for text in self.literals if (kind := type(ast.literal_eval(text))) in CONSTANTS), None)


def answers(literals: tuple[str, ...]) -> tuple[Answer, ...]:
    """Every kind."""
    return tuple(Answer(kind, literals) for kind in KINDS)


def bodies(function: Function, answer: Answer, *, method: bool) -> list[ast.stmt]:
    """What the function does instead; its docstring stays, and what never answered does nothing."""
    document = function.body[:1] if ast.get_docstring(function, clean=False) is not None else []
    first = first_argument(function.args, skip=int(method))
    said = answer.value(_model(function), first)
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own(function)):
        return [*document, *_yielding(answer, said, first)]
    return [*document, ast.Return(said if speaks(function) else ast.Constant(None))]


def speaks(function: Function) -> bool:
    """Whether it ever returns or yields a value."""
    return any(
        isinstance(node, ast.Yield | ast.YieldFrom) or (isinstance(node, ast.Return) and _is_value(node.value))
        for node in _own(function)
    )


def _is_value(node: ast.expr | None) -> bool:
    return node is not None and not (isinstance(node, ast.Constant) and node.value is None)


def first_argument(arguments: ast.arguments, skip: int) -> str | None:
    """The name of what is given first, after self or cls; None where nothing is."""
    placed = [*arguments.posonlyargs, *arguments.args][skip:]
    rest = [*([arguments.vararg] if arguments.vararg else []), *arguments.kwonlyargs]
    return next((each.arg for each in (*placed, *rest)), None)


def _yielding(answer: Answer, said: ast.expr, first: str | None) -> list[ast.stmt]:
    """Nothing at all for an empty answer, what the first argument holds, or the one value."""
    nothing = [ast.Return(), ast.Expr(ast.Yield())]
    if answer.kind == "empty":
        return nothing
    if answer.kind == "first argument" and first:
        loop = f"for each in {first}:\n    yield each"  # not `yield from`, which a coroutine cannot have
        return ast.parse(loop).body
    return [ast.Expr(ast.Yield(said))]


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of what is defined inside of it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, Scope):
            yield from _own(child)


def _model(function: Function) -> ast.expr | None:
    """What shows the type of its answers: what it yields, or the annotation, or else a value that it returns."""
    yielded = [node.value for node in _own(function) if isinstance(node, ast.Yield)]
    returned = [node.value for node in _own(function) if isinstance(node, ast.Return) and _is_value(node.value)]
    shown = yielded or [_unquoted(function.returns), *returned]
    return next((each for each in shown if type_of(each)), None)


def _unquoted(annotation: ast.expr | None) -> ast.expr | None:
    """An annotation that is written as text, as what it says; None if that is no expression."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        module = parse(annotation.value.encode())
        return next((line.value for line in module.body if isinstance(line, ast.Expr)), None) if module else None
    return annotation


def type_of(node: ast.expr | None) -> type | None:
    """The built-in type that an annotation or an expression shows; None where it shows none."""
    match node:
        case ast.Constant(value=value):
            return type(value) if type(value) in CONSTANTS else None
        case ast.Name(id=name):
            return NAMED.get(name)
        case ast.Subscript(value=ast.Name() as named) | ast.Call(func=ast.Name() as named):
            return NAMED.get(named.id)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return type_of(left) or type_of(right)
        case ast.BoolOp(values=values):
            return type_of(values[-1])
        case ast.IfExp(body=body, orelse=other):
            return type_of(body) or type_of(other)
        case ast.UnaryOp(op=op, operand=operand):
            return bool if isinstance(op, ast.Not) else type_of(operand)
        case _:
            return next((kind for forms, kind in SHOWN if isinstance(node, forms)), None)


def _alike(one: type, other: type) -> bool:
    return one == other or {one, other} <= {int, float}


def expected_literals(tree: SourceTree, nodes: Iterable[str]) -> tuple[str, ...]:
    """What these tests compare with by `==`, as text, in their order."""
    found = (text for node in nodes for text in _literals(tree, node))
    return tuple(dict.fromkeys(found))


def _literals(tree: SourceTree, node: str) -> Iterator[str]:
    path, _, names = node.partition("[")[0].partition("::")
    module = parse(tree.by_path[path].content) if path in tree.by_path else None
    for function in ast.walk(module) if module else ():
        if isinstance(function, Function) and function.name == names.rpartition("::")[2]:
            for compared in (each for each in ast.walk(function) if isinstance(each, ast.Compare)):
                sides = [compared.left, *compared.comparators] if isinstance(compared.ops[0], ast.Eq) else []
                yield from (ast.unparse(side) for side in sides if _is_literal(side))


def _is_literal(node: ast.expr) -> bool:
    try:
        return type(ast.literal_eval(node)) in CONSTANTS
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
