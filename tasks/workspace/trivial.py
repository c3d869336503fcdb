"""Trivial answers: the repaired tree, but what the repair changed answers the same whatever it is given.

Takes    a case, its tree under the control patch, and other trees of it.
Gives    for each kind of answer one tree, none that equals another one. Functions that the patch changed or added
         answer; where none of them answers anything, they do nothing; where it changed values of a module or a class
         instead, whoever reads those in their file answers, and where nobody does the values become the answer.
Refuses  nothing; a patch that leaves no such place gives no tree.
Covered      signatures, decorators, generators and coroutines stay what they are; all else is as the control patch has
             it, so that nothing but the answer can be what a sealed test notices.
Not covered  a patch that only takes functions away, or only changes data; an answer that depends on what is asked.
Source   DESIGN.md, "The seven stages"; datasets/README.md, "Writing good sealed tests".
"""

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tasks.records.case import Case
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.answers import Answer, Function, answers, bodies, expected_literals, speaks
from tasks.workspace.symbols import parse

Value = ast.Assign | ast.AnnAssign


class Place(NamedTuple):
    """One definition of a module or class body; `method` if it is called with an instance or a class first."""

    name: str
    node: Function | Value
    method: bool


def trivial_trees(case: Case, control: SourceTree, *others: SourceTree) -> Iterator[tuple[str, SourceTree]]:
    """(kind of answer, tree) for each kind that makes a tree of its own."""
    chosen = {path: names for path, names in _chosen(case.repo, control).items() if names}
    seen = {normal(tree) for tree in (control, case.repo, *others)}
    for answer in answers(expected_literals(case.repo, case.public.fail_to_pass)):
        tree = control.overlaid(SourceTree(files=tuple(_file(control, *each, answer) for each in chosen.items())))
        if (form := normal(tree)) not in seen:
            seen.add(form)
            yield answer.kind, tree


def normal(tree: SourceTree) -> tuple[tuple[str, bytes], ...]:
    """What a tree says, without comments and layout: equal for trees that behave alike for sure."""
    return tuple((file.path, _said(file.content) if file.path.endswith(".py") else file.content) for file in tree.files)


@lru_cache(maxsize=256)  # the trees of a case share most of their files
def _said(content: bytes) -> bytes:
    module = parse(content)
    return content if module is None else ast.unparse(module).encode()


def _chosen(untouched: SourceTree, control: SourceTree) -> dict[str, set[str]]:
    """By file, the names of what answers: the first sort of place that there is, as this file's docstring says."""
    changed = {file.path: list(_changed(untouched.by_path.get(file.path), file)) for file in control.files}
    sorts: tuple[Callable[[Place], bool], ...] = (
        lambda place: isinstance(place.node, Function) and speaks(place.node),
        lambda place: isinstance(place.node, Function),
    )
    for sort in sorts:
        if any(sort(place) for places in changed.values() for place in places):
            return {path: {place.name for place in places if sort(place)} for path, places in changed.items()}
    names = {path: {place.name for place in places} for path, places in changed.items()}
    return {path: _readers(control.by_path[path], of) or of for path, of in names.items()}


def _readers(file: SourceFile, names: set[str]) -> set[str]:
    """Functions of a file that answer, and read one of these names to do so."""
    wanted = {name.rpartition(".")[2] for name in names}
    return {
        place.name
        for place in _places(parse(file.content))
        if isinstance(place.node, Function) and speaks(place.node) and wanted & set(_read(place.node))
    }


def _read(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr


def _changed(before: SourceFile | None, after: SourceFile) -> Iterator[Place]:
    """Places of a Python file that are new or other than before."""
    if before == after or not after.path.endswith(".py"):
        return
    old: dict[str, list[str]] = {}
    for place in _places(parse(before.content) if before else None):
        old.setdefault(place.name, []).append(ast.dump(place.node))
    yield from (place for place in _places(parse(after.content)) if ast.dump(place.node) not in old.get(place.name, ()))


def _places(body: ast.AST | None, prefix: str = "") -> Iterator[Place]:
    """Functions and assigned names of module and class bodies, by their dotted names; nothing inside of functions."""
    for node in ast.iter_child_nodes(body) if body else ():
        if isinstance(node, ast.ClassDef):
            yield from _places(node, f"{prefix}{node.name}.")
        elif isinstance(node, Function):
            static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
            yield Place(prefix + node.name, node, method=bool(prefix) and not static)
        elif isinstance(node, Value):
            yield from (Place(prefix + name, node, method=False) for name in _targets(node))
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _places(node, prefix)


def _targets(node: Value) -> Iterable[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if node.value else []
    return (target.id for target in targets if isinstance(target, ast.Name))


def _file(control: SourceTree, path: str, names: set[str], answer: Answer) -> SourceFile:
    """A file of the repaired tree whose places of these names answer trivially."""
    file = control.by_path[path]
    module = parse(file.content) or ast.Module(body=[], type_ignores=[])
    for place in list(_places(module)):
        if place.name in names:
            _answer(place, answer)
    return file.model_copy(update={"content": f"{ast.unparse(ast.fix_missing_locations(module))}\n".encode()})


def _answer(place: Place, answer: Answer) -> None:
    if isinstance(place.node, Function):
        place.node.body = bodies(place.node, answer, method=place.method)
    else:
        place.node.value = answer.value(place.node.value)
