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
from pathlib import Path
from typing import Any, NoReturn

MAX_TEXT_BYTES = 4_000
ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
ASSERTIONS = ("assert ", "AssertionError", "Failed: ")
SECONDS = re.compile(r"\b\d+\.\d+( ?s\b| seconds?\b)")


class Wire:
    """Writes records as they happen: what a killed process has said stays said."""

    def __init__(self, results_fd: int, places: dict[str, str], *, show: bool) -> None:
        self.results_fd, self.places, self.show = results_fd, places, show

    def send(self, record: dict[str, Any]) -> None:
        line = json.dumps(record).encode() + b"\n"
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


def main(argv: list[str]) -> NoReturn:
    site, root, ini, output, *nodes = argv[1:]
    results_fd = int(os.environ.pop("PROVEOUT_RESULTS_FD"))
    sys.path.append(site)
    import pytest

    places = {f"{root}/": "", root: ".", site: "site-packages", os.environ["TMPDIR"]: "/tmp", sys.base_prefix: "python"}  # noqa: S108
    wire = Wire(results_fd, places, show=output == "show")
    paths = [path for path in (f"{root}/src", root) if Path(path).is_dir()]
    files = sorted({node.partition("::")[0] for node in nodes})
    # Nobody sees a hidden failure: the short style would parse the whole file again for each.
    style = "--tb=short" if wire.show else "--tb=native"
    status = pytest.main(
        [
            "-c", ini, "--rootdir", root, "--confcutdir", root, "-p", "no:cacheprovider", style, "--color=no",
            "--continue-on-collection-errors", "--show-capture=no", "--no-header", "-q", "--", *files,
        ],
        plugins=[Recorder(wire, set(nodes), paths)],
    )  # fmt: skip
    wire.send({"kind": "end", "status": int(status)})
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(status))  # threads and exit handlers of the code under test have no say any more


if __name__ == "__main__":
    main(sys.argv)
