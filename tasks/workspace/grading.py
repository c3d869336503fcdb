"""Grading: run named tests of a tree in a fresh sandbox, and say what happened to exactly those.

Takes    a SourceTree, pytest node ids, and, for independent evaluation, sealed files that are laid on top.
Gives    a TestReport, equal for equal trees: no times, no addresses, no places of the host.
Refuses  nothing of the tree; raises SandboxTrouble when the sandbox, and not the tree, is to blame.
Covered      outcomes come from records and the exit status seen from outside, never from printed text; a node passes
             only if setup, call and teardown all passed; skips and expected failures are no passes; forged extra
             records, a missing end, an end that disagrees with the outside are a mismatch, in which nothing passes.
Not covered  what shares a process with the tests can forge them; see `runner`. Output that is random stays random.
Source       DESIGN.md, "Running and grading code"; grading tier "in-process".
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tasks.records.attempt import NodeOutcome, TestReport
from tasks.records.grading import GradingTier
from tasks.records.tree import SourceTree
from tasks.workspace.environment import Environment
from tasks.workspace.orders import FOLDER_PREFIX
from tasks.workspace.sandbox import Ended, Job, Limits, Mount, Sandbox
from tasks.workspace.workspaces import Workspaces

MAX_SHOWN_BYTES = 4_000
ROOT, SITE, RUNNER, INI = "/work", "/opt/site-packages", "/opt/proveout/runner.py", "/opt/proveout/grading.ini"
HERE = Path(__file__).parent
STEADY = {
    "PYTHONHASHSEED": "0", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "NO_COLOR": "1", "TZ": "UTC", "LANG": "C.UTF-8",
    "COLUMNS": "100", "PYTHONUTF8": "1",
}  # fmt: skip
OUR_FOLDER = re.compile(rf"{re.escape(FOLDER_PREFIX)}\w+")
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
Ending = Literal["exit", "signal", "timeout", "output_limit", "memory", "mismatch"]
PHASES = ["setup", "call", "teardown"]


class Forged(ValueError):
    """Records that pytest cannot have written by itself."""


class Phase(NamedTuple):
    """setup, call or teardown of one node."""

    when: str
    outcome: str
    text: str
    xfail: bool
    assertion: bool


def _words(record: dict[str, Any], *names: str) -> list[str]:
    """Fields that must be strings. The sender may be the code under test."""
    words = [record[name] for name in names]
    if not all(isinstance(word, str) for word in words):
        raise Forged("a field that is no text")
    return words


@dataclass
class Account:
    """What the records say, read strictly in the order in which pytest must write them."""

    phases: dict[str, list[Phase]] = field(default_factory=dict)
    subtests: dict[str, list[str]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    status: int | None = None

    @classmethod
    def read(cls, results: bytes) -> "Account":
        """Raises Forged."""
        account = cls()
        for line in results.splitlines():
            try:
                account._take(json.loads(line))
            except (ValueError, LookupError, TypeError, RecursionError) as error:
                raise Forged(str(error)) from error
        return account

    def _take(self, record: dict[str, Any]) -> None:
        if self.status is not None:
            raise Forged("a record after the end")
        match record["kind"]:
            case "end" if type(record["status"]) is int:
                self.status = record["status"]
            case "collect":
                node, text = _words(record, "node", "text")
                self.broken.append(node)
                self._show(f"{node}: cannot be collected", text)
            case "subtest":
                node, outcome = _words(record, "node", "outcome")
                self.subtests.setdefault(node, []).append(outcome)
            case "phase":
                node, when, outcome, text = _words(record, "node", "when", "outcome", "text")
                self._phase(Phase(when, outcome, text, record["xfail"] is True, record.get("assertion") is True), node)
            case _:
                raise Forged("a record of an unknown kind")

    def _phase(self, phase: Phase, node: str) -> None:
        seen = self.phases.setdefault(node, [])
        due = ("setup",) if not seen else ("call", "teardown") if len(seen) == 1 else ("teardown",)
        if phase.when not in due or (seen and seen[-1].when == "teardown"):
            raise Forged(f"{phase.when} out of turn")
        seen.append(phase)
        if phase.outcome != "passed":
            self._show(f"{node}: {phase.outcome} in {phase.when}", phase.text)

    def _show(self, title: str, text: str) -> None:
        self.shown.append(f"{title}\n{text}".rstrip())

    def outcome(self, node: str) -> NodeOutcome:
        """What became of one expected node."""
        phases = self.phases.get(node, [])
        outcomes = {phase.when: phase.outcome for phase in phases}
        if not phases:
            file = node.partition("::")[0]
            return "error" if any(name == file or node.startswith(f"{name}::") for name in self.broken) else "missing"
        if "failed" in (outcomes.get("setup"), outcomes.get("teardown")):
            return "error"
        if outcomes.get("call") == "failed" or "failed" in self.subtests.get(node, ()):
            return "failed"
        if any(phase.xfail or phase.outcome == "skipped" for phase in phases):
            return "skipped"
        return "passed" if list(outcomes.items()) == [(phase, "passed") for phase in PHASES] else "error"


def bounded(blocks: list[str]) -> str:
    """The blocks as text of at most 4,000 bytes that no terminal and no encoder minds.

    The runner cleaned them already, but what shares its process may have written them.
    """
    text = OUR_FOLDER.sub("proveout", UNPRINTABLE.sub("\ufffd", "\n\n".join(blocks)))
    content = text.encode(errors="replace")
    if len(content) <= MAX_SHOWN_BYTES:
        return content.decode()
    return content[: MAX_SHOWN_BYTES - 40].decode(errors="ignore") + "\n... (more was cut)"


class Bench:
    """Where trees are tested: one sandbox, one environment, one set of limits; no test leaves anything to the next."""

    def __init__(self, sandbox: Sandbox, environment: Environment, limits: Limits | None = None) -> None:
        self.sandbox, self.environment, self.limits = sandbox, environment, limits or Limits()
        self.workspaces = Workspaces()
        self.untested = Workspaces()
        """For trees that must never lie over one that holds tests: a view may be a change of a similar tree."""

    def test(
        self, tree: SourceTree, nodes: tuple[str, ...], sealed: SourceTree | None = None, *, hide_output: bool = False
    ) -> TestReport:
        """Run `nodes` of `tree` with the sealed files on top; `hide_output` keeps every word of them here.

        Raises SandboxTrouble when the sandbox broke.
        """
        graded = tree if sealed is None else tree.overlaid(sealed)
        account, how = self.observe(graded, nodes, hide_output=hide_output)
        return self.report(graded.fingerprint, nodes, account, how, hide_output=hide_output)

    def observe(self, tree: SourceTree, nodes: tuple[str, ...], *, hide_output: bool) -> tuple[Account, Ending]:
        """Run `nodes` of a tree once: what the records say, and how the process ended.

        Raises SandboxTrouble when the sandbox broke.
        """
        present = tuple(node for node in nodes if node.partition("::")[0] in tree.by_path)
        if not present:
            return Account(), "exit"
        with self.workspaces.view(tree, ROOT) as work:
            return accounted(self.sandbox.run(self._job(work, present, hide_output=hide_output)))

    def _job(self, work: Mount, nodes: tuple[str, ...], *, hide_output: bool) -> Job:
        # -s -S -P -B and an environment of our own do what -I does, except that -I would also ignore PYTHONHASHSEED.
        python = (str(self.environment.python), "-s", "-S", "-P", "-B")
        return Job(
            argv=(*python, RUNNER, SITE, ROOT, INI, "hide" if hide_output else "show", *nodes),
            mounts=(
                work, Mount(self.environment.site, SITE),
                Mount(HERE / "runner.py", RUNNER), Mount(HERE / "grading.ini", INI),
            ),
            chdir=ROOT, env=STEADY, limits=self.limits, results_fd=True,
        )  # fmt: skip

    def report(
        self, tree: str, nodes: tuple[str, ...], account: Account, ended: Ending, *,
        hide_output: bool, by: GradingTier = "in-process",
    ) -> TestReport:  # fmt: skip
        """What an account says of exactly these nodes, and by which grading tier they were judged."""
        return TestReport(
            tree=tree, outcomes={node: account.outcome(node) for node in nodes}, ended=ended, tier=self.sandbox.tier,
            shown="" if hide_output else bounded(account.shown), tiers=dict.fromkeys(nodes, by),
        )  # fmt: skip


def accounted(ended: Ended) -> tuple[Account, Ending]:
    """What the records of an ended process say, if they can be believed, and how it ended."""
    try:
        account = Account.read(ended.results if ended.how == "exit" else whole_lines(ended.results))
    except Forged:
        return Account(), "mismatch"
    said = account.status is not None and account.status == ended.status
    return account, "mismatch" if ended.how == "exit" and not said else ended.how


def whole_lines(results: bytes) -> bytes:
    """Without a last line that was cut by a kill."""
    return results[: results.rfind(b"\n") + 1]
