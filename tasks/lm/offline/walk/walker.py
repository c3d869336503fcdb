"""A walker over parsed Python: it says what a small test and the code that it calls would do, without running either.

Takes    syntax trees from ast.parse and values of values.py.
Gives    a value, or the exception that the code would raise.
Refuses  whatever the subset does not hold, as Unsupported; more than the declared steps, as Spent.
Covered  no exec, eval, compile, import, file, attribute of a host object or unbounded size is reachable from a text.
Not covered  generators are walked eagerly; decorators other than the known ones are Unsupported.
"""

import ast
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from tasks.lm.offline.walk.signals import Broke, Continued, Returned
from tasks.lm.offline.walk.values import Instance, Scope, Spent, Unsupported, bounded, kind_of, order

MAX_NESTING = 100  # Python's own limit depends on the caller; ours comes before it


class Grammar(Protocol):
    """What the nodes mean: expressions, statements, and calls."""

    def evaluate(self, node: ast.expr, walker: "Walker", scope: Scope) -> Any: ...

    def step(self, node: ast.stmt, walker: "Walker", scope: Scope) -> None: ...

    def attribute(self, walker: "Walker", held: Any, name: str) -> Any: ...

    def call(self, walker: "Walker", called: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any: ...


class Walker:
    """`entered` are the functions (path, line, name) that a walk went through; `at` are the statements it stands in."""

    def __init__(self, grammar: Grammar, fuel: int, load: Callable[[str, int, str], Scope | None]) -> None:
        self.grammar, self.fuel, self.load = grammar, fuel, load
        self.depth = self.nesting = 0
        self.entered: dict[tuple[str, int, str], None] = {}
        self.at: list[tuple[str, int]] = []

    def burn(self, steps: int = 1) -> None:
        """Use fuel. Raises Spent."""
        self.fuel -= steps
        if self.fuel < 0:
            raise Spent("out of steps")

    def value(self, node: ast.expr, scope: Scope) -> Any:
        """Walk an expression."""
        self.burn()
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise Spent("nested too deep")
        try:
            return bounded(self.grammar.evaluate(node, self, scope))
        finally:
            self.nesting -= 1

    def attribute(self, held: Any, name: str) -> Any:
        """`held.name`."""
        return self.grammar.attribute(self, held, name)

    def call(self, called: Any, arguments: list[Any], keywords: dict[str, Any] | None = None) -> Any:
        """`called(*arguments, **keywords)`."""
        self.burn()
        return self.grammar.call(self, called, arguments, keywords or {})

    def body(self, nodes: list[ast.stmt], scope: Scope) -> None:
        """Walk statements; an exception leaves `at` as it was where it arose."""
        for node in nodes:
            self.burn()
            self.at.append((scope.path, node.lineno))
            try:
                self.grammar.step(node, self, scope)
            except (Returned, Broke, Continued):
                self.at.pop()
                raise
            self.at.pop()

    def attempt(self, nodes: list[ast.stmt], scope: Scope) -> Exception | None:
        """Walk statements, and give the exception of the walked code that ended them; the walk stands here again."""
        mark, depth = len(self.at), self.depth
        try:
            self.body(nodes, scope)
        except Unsupported:
            raise
        except Exception as error:  # noqa: BLE001 - any exception of the walked code is a value here
            del self.at[mark:]
            self.depth = depth
            return error
        return None

    def items(self, nodes: list[ast.expr], scope: Scope) -> list[Any]:
        """The values of a list's elements or a call's arguments."""
        made: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                made.extend(self.iterate(self.value(node.value, scope)))
            else:
                made.append(self.value(node, scope))
        return made

    def iterate(self, value: Any) -> Iterator[Any]:
        """The items of a value; those of a set in an order that is the same in every process."""
        held = value.items if isinstance(value, Instance) else value
        if not isinstance(held, str | list | tuple | dict | set | frozenset | range):
            raise TypeError(f"{kind_of(held)!r} object is not iterable")
        if isinstance(held, set | frozenset):
            held = sorted(held, key=order)
        for item in list(held) if isinstance(held, dict) else held:
            self.burn()
            yield item

    def truth(self, value: Any) -> bool:
        """Whether a value counts as true."""
        for name in ("__bool__", "__len__") if isinstance(value, Instance) else ():
            if name in value.cls.names:
                return bool(self.call(self.attribute(value, name), []))
        return bool(value)

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Bind a target."""
        if isinstance(target, ast.Name):
            scope.holder(target.id).names[target.id] = bounded(value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, list(self.iterate(value)), scope)
        elif isinstance(target, ast.Attribute):
            held = self.value(target.value, scope)
            if not isinstance(held, Instance):
                raise Unsupported("an attribute of no instance")
            held.attributes[target.attr] = bounded(value)
        elif isinstance(target, ast.Subscript):
            self._put(self.value(target.value, scope), self.value(target.slice, scope), value)
        else:
            raise Unsupported("an assignment")

    def _put(self, held: Any, key: Any, value: Any) -> None:
        if not isinstance(held, list | dict):
            raise TypeError(f"{kind_of(held)!r} object does not support item assignment")
        held[key] = value
        bounded(held)

    def _unpack(self, targets: list[ast.expr], values: list[Any], scope: Scope) -> None:
        if any(isinstance(target, ast.Starred) for target in targets):
            raise Unsupported("a starred target")
        if len(targets) != len(values):
            raise ValueError(f"expected {len(targets)} values to unpack, got {len(values)}")
        for target, value in zip(targets, values, strict=True):
            self.assign(target, value, scope)
