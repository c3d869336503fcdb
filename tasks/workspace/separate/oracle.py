"""Oracle: pytest over trusted tests, in a sandbox without a line of the candidate's.

Every top-level name that the candidate may write becomes a proxy: importing it imports there, its attributes are values
or handles. Test support is loaded from the disk of this sandbox, which holds nothing else. pytest, the clock and
the records are those of this process.

Takes    SITE ROOT INI show|hide NAMES NODE..., NAMES joined by commas.
Gives    the records of `runner`; a node during which there was a Violation has failed, whatever it did about it.
Covered  a Violation that is swallowed: in a test it fails the node, in a test file all of its nodes, in a fixture that
         others share or outside of any test all nodes that follow. So does a test that could only pass for want of the
         candidate: it patched something here, started a process here, or listens to a log or warnings.
Not covered  `warnings.catch_warnings` around a call that must not warn; a clock or a seed that a test sets without
         patching; files of its own that a test expects the candidate not to touch.
Source   DESIGN.md, "Running and grading code"; grading tier "separate".
"""

import ast
import builtins
import copy
import importlib
import importlib.abc
import importlib.machinery
import operator
import os
import sys
import types
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn
from unittest import TestCase, mock

if not __package__:  # not imported, but run
    sys.path.insert(0, str(Path(__file__).parents[3]))

from tasks.workspace import runner
from tasks.workspace.separate.handles import Standing, asked_by_pytest, identity, same
from tasks.workspace.separate.link import Link, Violation
from tasks.workspace.separate.material import CODE_FOLDERS, is_material
from tasks.workspace.separate.questions import by_name
from tasks.workspace.separate.starred import Stars, is_star

PATCHING = {
    "MonkeyPatch": ("setattr", "delattr", "setitem", "delitem", "syspath_prepend"),
    "_patch": ("__enter__",), "_patch_dict": ("__enter__",),
}  # fmt: skip
STARTING = frozenset(
    {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.system", "os.spawn"}
)
RUNS_PYTEST, LEFT_OUT = True, runner.LEFT_OUT
BLIND = frozenset({"caplog", "recwarn", "pytester", "testdir"})
SAME, IDENTITY = "@same", "@identity"
"""No names that a source could contain."""
STARS = Stars()


class ProxyModule(types.ModuleType):
    """A module of the candidate's. What the import system keeps in it stays here; all else is asked for."""

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        link: Link = vars(self)["__proveout_link__"]
        if (name.startswith("__") and name not in {"__all__", "__version__", "__author__"}) or asked_by_pytest(link):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if question := by_name(name):
            link.violate(f"a module of the candidate's was asked for its {question}")
        if name == "__all__":
            return self._exported(sys._getframe(1))  # noqa: SLF001
        return link.ask("get", self, name)

    def _exported(self, frame: types.FrameType) -> Any:
        __tracebackhide__ = True
        link: Link = vars(self)["__proveout_link__"]
        try:
            names = link.ask("get", self, "__all__")
        except AttributeError:
            names = link.ask("public", self)
        if not is_star(frame):
            return names
        if type(names) not in (list, tuple):
            link.violate("the candidate exports by something that is no list of names")
        return STARS.allowed(frame, names)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        if name.startswith("__") or isinstance(value, ProxyModule):
            super().__setattr__(name, value)
        else:
            vars(self)["__proveout_link__"].ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        __tracebackhide__ = True
        vars(self)["__proveout_link__"].ask("del", self, name)

    def __dir__(self) -> Any:
        return vars(self)["__proveout_link__"].ask("dir", self)


class Importer(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """First on the meta path: what the candidate may write is never looked for on this disk."""

    def __init__(self, names: frozenset[str], root: str) -> None:
        self.names, self.root = names, root
        self.modules: dict[str, ProxyModule] = {}
        self.link: Link | None = None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        _ = path, target
        if fullname.partition(".")[0] not in self.names or self._is_support(fullname):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, origin="candidate")

    def _is_support(self, fullname: str) -> bool:
        inside = fullname.replace(".", "/")
        folders = [Path(self.root, folder) for folder in CODE_FOLDERS]
        if is_material(f"{inside}.py") and any((folder / f"{inside}.py").is_file() for folder in folders):
            return True
        return is_material(f"{inside}/_") and any((folder / inside).is_dir() for folder in folders)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        made = ProxyModule(spec.name)
        vars(made)["__proveout_link__"] = self.link
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        """Import it there. Raises what that raised."""
        __tracebackhide__ = True
        assert self.link is not None  # noqa: S101 - the finder is installed after it
        self.modules[module.__name__] = module  # type: ignore[assignment]
        try:
            package = self.link.ask("load", module.__name__)
        except BaseException:
            del self.modules[module.__name__]
            raise
        if package is True:
            inside = module.__name__.replace(".", "/")
            places = (Path(self.root, folder, inside) for folder in CODE_FOLDERS)
            module.__path__ = [str(place) for place in places if place.is_dir()]

    def bring(self, name: str) -> Any:
        """The proxy of a module that a value turned out to be."""
        return importlib.import_module(name) if name.partition(".")[0] in self.names else self.link.violate(name)  # type: ignore[union-attr]


class Identities(ast.NodeTransformer):
    """`is` between two expressions of a test file, and `id`, become questions that can be refused."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "id":
            node.args, node.func = [node.func, *node.args], ast.copy_location(ast.Name(IDENTITY, ast.Load()), node.func)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            sides = [node.left, *node.comparators]
            pairs = zip(sides, node.ops, sides[1:], strict=False)
            links = [ast.Compare(copy.deepcopy(one), [op], [two]) for one, op, two in pairs]
            made = ast.BoolOp(ast.And(), [self._asked(ast.copy_location(each, node)) for each in links])
            return ast.copy_location(made, node)
        return self._asked(node)

    @staticmethod
    def _asked(node: ast.Compare) -> ast.expr:
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Is | ast.IsNot):
            return node
        if any(isinstance(side, ast.Constant) for side in (node.left, *node.comparators)):
            return node
        asked = ast.Call(ast.Name(SAME, ast.Load()), [node.left, *node.comparators], [])
        made = asked if isinstance(node.ops[0], ast.Is) else ast.UnaryOp(ast.Not(), asked)
        return ast.fix_missing_locations(ast.copy_location(made, node))


def ask_for_identity() -> None:
    """Have pytest, which rewrites asserts of test files anyway, rewrite `is` as well."""
    from _pytest.assertion import rewrite

    rewrite_asserts = rewrite.rewrite_asserts

    def both(module: ast.Module, *rest: Any, **named: Any) -> None:
        Identities().visit(module)
        rewrite_asserts(module, *rest, **named)

    vars(builtins).update({SAME: same, IDENTITY: identity})
    vars(operator).update(is_=same, is_not=lambda one, other: not same(one, other))
    vars(rewrite)["rewrite_asserts"] = both


def watch_patches(link: Link) -> None:
    """Notice what a test patches here and the candidate there would not see: its absence might pass for a success."""
    from _pytest.monkeypatch import MonkeyPatch

    def noticed(original: Any, *, theirs: bool) -> Any:
        def patch(*args: Any, **kwargs: Any) -> Any:
            link.patched = link.patched or theirs or not asked_by_pytest()
            return original(*args, **kwargs)

        return patch

    for owner, names in PATCHING.items():
        kind: Any = MonkeyPatch if owner == "MonkeyPatch" else getattr(mock, owner)
        for name in names:
            setattr(kind, name, noticed(getattr(kind, name), theirs=kind is not MonkeyPatch))  # pytest patches, too


def watch_cases(link: Link) -> None:
    """Methods of TestCase that compare by identity, which no rewriting reaches, or listen."""
    for name in ("assertIs", "assertIsNot"):
        setattr(TestCase, name, _asking(getattr(TestCase, name)))

    def silent(*_: Any, **__: Any) -> NoReturn:
        link.violate("the candidate's log does not cross, which assertNoLogs needs")

    setattr(TestCase, "assertNoLogs", silent)  # noqa: B010 - which mypy wants written so


def _asking(compared: Any) -> Any:
    def ask(self: Any, first: Any, second: Any, *rest: Any, **named: Any) -> None:
        __tracebackhide__ = True
        same(first, second)
        compared(self, first, second, *rest, **named)

    return ask


def watch_processes(link: Link) -> None:
    """A program that a test starts finds no candidate, and a test may expect it to fail."""

    def hook(event: str, _: tuple[Any, ...]) -> None:
        if event in STARTING:
            link.violate("the test starts a process, which would not find the candidate")

    sys.addaudithook(hook)


class Rulings:
    """The plugin that turns violations into failed reports."""

    def __init__(self, link: Link, support: list[str]) -> None:
        self.link, self.support = link, support
        self.seen, self.tainted = 0, ""

    def new(self) -> str:
        """The first violation since the last time that somebody asked."""
        found = self.link.violations[self.seen : self.seen + 1]
        self.seen = len(self.link.violations)
        return found[0] if found else ""

    def pytest_load_initial_conftests(self) -> None:
        import pytest

        pytest.register_assert_rewrite(*self.support)

    def pytest_collection(self) -> None:
        with suppress(Violation):  # it is noted, and taints all
            self.link.greet()
        self.tainted = self.new()

    def pytest_collection_finish(self) -> None:
        if self.link.patched:
            self.tainted = "something was patched for all tests"

    def pytest_make_collect_report(self) -> Generator[None, Any, Any]:
        report = yield
        if why := self.new():
            report.outcome, report.longrepr, report.result = "failed", f"separate: {why}", []
        return report

    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        before, patched = len(self.link.violations), self.link.patched
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function" and len(self.link.violations) > before:
                self.tainted = self.link.violations[before]
            if fixturedef.scope != "function" and self.link.patched > patched:
                self.tainted = "something was patched for several tests"

    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, Any]:
        report = yield
        if call.when == "teardown":
            self.link.patched = False
        if why := self.new() or self.tainted or blind(item):
            report.outcome, report.longrepr = "failed", f"separate: {why}"
            vars(report).pop("wasxfail", None)
        return report


def blind(item: Any) -> str:
    """Why a test that asks for one of these fixtures may see nothing where there was something."""
    found = sorted(BLIND & set(getattr(item, "fixturenames", ())))
    return f"the candidate's log, warnings and files do not cross, which {found[0]} needs" if found else ""


def outermost(plugin: Rulings) -> Rulings:
    """The plugin with its hooks around all others'. pytest is imported here, where its place is already on the path."""
    import pytest

    for name in ("pytest_make_collect_report", "pytest_fixture_setup", "pytest_runtest_makereport"):
        pytest.hookimpl(wrapper=True, tryfirst=True)(vars(Rulings)[name])
    for name in ("pytest_load_initial_conftests", "pytest_collection", "pytest_collection_finish"):
        pytest.hookimpl(tryfirst=True)(vars(Rulings)[name])
    return plugin


def main(argv: list[str]) -> NoReturn:
    order = runner.Order.of([*argv[1:5], *argv[6:]])
    wire = order.wire()
    numbers = [int(os.environ.pop(name)) for name in ("PROVEOUT_READ_FD", "PROVEOUT_WRITE_FD")]
    importer = Importer(frozenset(filter(None, argv[5].split(","))), order.root)
    importer.link = link = Link(numbers[0], numbers[1], Standing(importer.modules, importer.bring), wire.line)
    sys.path.pop(0)
    for name in [name for name in sys.modules if name.partition(".")[0] == "tasks"]:
        del sys.modules[name]  # the tests may have a package of that name

    def plugins() -> list[Any]:
        sys.meta_path.insert(0, importer)
        ask_for_identity()
        watch_patches(link)
        watch_cases(link)
        watch_processes(link)
        link.start()
        support = {path.stem for path in Path(order.root).rglob("*")} - importer.names
        return [outermost(Rulings(link, sorted(support)))]

    try:
        status = runner.run(order, wire, plugins)
        link.greet()  # if pytest did not come to the tests: a worker that is still starting is not a silent one
    except Violation as violation:  # in a conftest, before pytest could report it
        wire.send({"kind": "collect", "node": "conftest", "text": f"separate: {violation}" if wire.show else ""})
        status = 2
    runner.finish(wire, status)


if __name__ == "__main__":
    main(sys.argv)
