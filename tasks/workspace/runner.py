"""Runner: pytest inside the sandbox, reporting typed records over a pipe.

It is mounted read-only and run by the base interpreter without `site`, so that neither sitecustomize nor .pth files of
anybody run. It imports nothing of ours.

Takes    SITE ROOT INI show|hide NODE...
Gives    one JSON record a line: a phase of a test, a subtest, a collection error, and at the end pytest's own status.
Covered      printed results, os._exit, addopts and ini files of the tree, entry points in the tree, sitecustomize,
             planted bytecode (the tree holds none), a shadowed pytest (imported before the tree is on the path).
Not covered  code under test shares this process. It can patch pytest, compare equal to everything, read the tests, or
             write forged records to the pipe before the real ones are due. 11 of 37 known cheats pass this way; only
             twins or a separate process stop them, and reports of this runner count as the in-process tier.
Source       DESIGN.md, "Running and grading code".
"""

import gc
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

MAX_TEXT_BYTES = 4_000
ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
RUNS_PYTEST = True
LEFT_OUT = ("cacheprovider", "stepwise", "faulthandler", "pastebin", "setuponly", "setupplan")
"""Plugins without a fixture, whose options nobody gives here or reads elsewhere: each costs some milliseconds."""
ASSERTIONS = ("assert ", "AssertionError", "Failed: ")
SECONDS = re.compile(r"\b\d+\.\d+( ?s\b| seconds?\b)")


class Wire:
    """Writes records as they happen: what a killed process has said stays said."""

    def __init__(self, results_fd: int, places: dict[str, str], *, show: bool) -> None:
        self.results_fd, self.places, self.show = results_fd, places, show

    def send(self, record: dict[str, Any]) -> None:
        self.line(json.dumps(record).encode() + b"\n")

    def line(self, line: bytes) -> None:
        while line:
            line = line[os.write(self.results_fd, line) :]

    def text(self, report: Any) -> str:
        """The failure as text without escapes, addresses, durations or places of the host; empty if it is hidden."""
        if not self.show or report.outcome != "failed":
            return ""
        text = ADDRESS.sub("0x...", ESCAPES.sub("", str(report.longrepr or "")))
        for place, name in self.places.items():
            text = text.replace(place, name)
        return SECONDS.sub(r"...\1", text)[:MAX_TEXT_BYTES]


class Recorder:
    """A pytest plugin: select exactly the expected nodes, and send what becomes of them."""

    def __init__(self, wire: Wire, nodes: set[str], paths: list[str]) -> None:
        self.wire, self.nodes, self.paths = wire, nodes, paths

    def pytest_addoption(self) -> None:
        """The first hook of all: pytest's own plugins are imported, so nothing in the tree can take their place.

        pytest ends with five full collections, and walks its own modules in each (a tenth of a run) unless told not to.
        """
        gc.freeze()
        sys.path[:0] = self.paths

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self.nodes]

    def pytest_collectreport(self, report: Any) -> None:
        if report.outcome == "failed":
            self.wire.send({"kind": "collect", "node": report.nodeid, "text": self.wire.text(report)})

    def pytest_runtest_logreport(self, report: Any) -> None:
        kind = "subtest" if hasattr(report, "context") else "phase"
        record = {"kind": kind, "node": report.nodeid, "when": report.when, "outcome": report.outcome}
        record |= {"xfail": hasattr(report, "wasxfail"), "assertion": by_assertion(report)}
        self.wire.send({**record, "text": self.wire.text(report)})


def by_assertion(report: Any) -> bool:
    """Whether a test failed because something was not as it expected: an assert, a `raises` that saw nothing."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return report.outcome == "failed" and str(getattr(crash, "message", "")).startswith(ASSERTIONS)


class Order(NamedTuple):
    """What the command line says."""

    site: str
    root: str
    ini: str
    output: str
    nodes: list[str]

    @classmethod
    def of(cls, words: list[str]) -> "Order":
        site, root, ini, output, *nodes = words
        return cls(site, root, ini, output, nodes)

    def wire(self) -> Wire:
        """The pipe for records, named by the environment, out of which it is taken."""
        names = {f"{self.root}/": "", self.root: ".", self.site: "site-packages", os.environ["TMPDIR"]: "/tmp"}  # noqa: S108
        results_fd = int(os.environ.pop("PROVEOUT_RESULTS_FD"))
        return Wire(results_fd, {**names, sys.base_prefix: "python"}, show=self.output == "show")


def run(order: Order, wire: Wire, plugins: Callable[[], list[Any]] = list) -> int:
    """pytest's own status. `plugins` are made after pytest was found and before anything of the tree is."""
    sys.path.append(order.site)
    import pytest

    paths = [path for path in (f"{order.root}/src", order.root) if Path(path).is_dir()]
    files = sorted({node.partition("::")[0] for node in order.nodes})
    # Nobody sees a hidden failure: the short style would parse the whole file again for each.
    style = "--tb=short" if wire.show else "--tb=native"
    arguments = [
        "-c", order.ini, "--rootdir", order.root, "--confcutdir", order.root, style, "--color=no",
        *(f"-pno:{name}" for name in LEFT_OUT), "--continue-on-collection-errors", "--show-capture=no", "--no-header",
        "-q", "--", *files,
    ]  # fmt: skip
    return int(pytest.main(arguments, plugins=[Recorder(wire, set(order.nodes), paths), *plugins()]))


def finish(wire: Wire, status: int) -> NoReturn:
    """Send the end and leave; threads and exit handlers of what was tested have no say any more."""
    wire.send({"kind": "end", "status": status})
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main(argv: list[str]) -> NoReturn:
    order = Order.of(argv[1:])
    wire = order.wire()
    finish(wire, run(order, wire))


if __name__ == "__main__":
    main(sys.argv)
