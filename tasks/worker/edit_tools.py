"""The edit tools: what a model asks for is detached, checked, prepared, approved, and only then done.

Takes    an Editor at a workbench, the grader's `validate`, which tools are exposed, a policy, and the host's approver.
Gives    one Observation a call, whatever was called with whatever: `ok`, `rejected`, `stale` or `denied`; its text is
         bounded by bytes and lines, has no control characters, and names no place of the host.
Refuses  as observations: everything that a model can cause. Nothing has happened unless the status is `ok`.
Covered      arguments cannot change once a call is checked; what is done is the change that was shown to the host, or
             nothing, if the file has changed meanwhile; a tool that is not exposed is unknown, and being exposed opens
             nothing; the tests that run are those of `validate`, on exactly the tree that is diffed.
Not covered  how many calls are made: a program's budget is its own. An exception of the approver's, of `validate`'s or
             of these tools themselves is no observation: it is our own fault, or the sandbox's, and propagates.
Source       DESIGN.md, "Programs" and "Tool boundary".
"""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal, NamedTuple

from tasks.program.edit_surface import EDIT_TOOLS, MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, PERMISSIONS
from tasks.records.attempt import TestReport, Validation
from tasks.records.case import Edit
from tasks.records.errors import Damaged
from tasks.records.evidence import Observation, ToolCall
from tasks.records.permissions import Approver, PermissionPolicy, ProposedCall
from tasks.worker.approval import Gate
from tasks.worker.detaching import Detached, detach
from tasks.workspace.bounding import bound
from tasks.workspace.editing import Editor
from tasks.workspace.edits import Unfit
from tasks.workspace.workbench import Change, Stale

UNPRINTABLE = re.compile(r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
DECLARED = {tool["name"]: tool["arguments"] for tool in EDIT_TOOLS}

Validate = Callable[[Sequence[Edit]], Validation]


class Said(NamedTuple):
    """An answer before it is bounded."""

    text: str
    status: Literal["ok", "rejected", "denied", "stale"] = "ok"


class Ready(NamedTuple):
    """A call that can happen: the diff that it would make, and the doing of it."""

    effect: str
    do: Callable[[], Said]


class EditTools:
    """Five tools for one reader of one workbench; also a ToolBox."""

    def __init__(
        self,
        editor: Editor,
        validate: Validate,
        *,
        policy: PermissionPolicy | None = None,
        approve: Approver | None = None,
        exposed: Collection[str] = tuple(DECLARED),
        max_bytes: int = MAX_OUTPUT_BYTES,
        max_lines: int = MAX_OUTPUT_LINES,
    ) -> None:
        """`validate` is `Workshop.validate`. Raises ValueError for an unknown tool or a budget below one."""
        if unknown := set(exposed) - DECLARED.keys():
            raise ValueError(f"exposed tools: expected some of {sorted(DECLARED)}, got {sorted(unknown)}")
        bound("", max_bytes=max_bytes, max_lines=max_lines)
        self._editor, self._validate = editor, validate
        self._gate = Gate(policy or PermissionPolicy(), approve)
        self._exposed = {name: DECLARED[name] for name in DECLARED if name in exposed}
        self._max_bytes, self._max_lines = max_bytes, max_lines
        self._passed_tree: str | None = None
        self._ready: dict[str, Callable[..., Ready]] = {
            "read_file": self._read,
            "apply_edit": self._edit,
            "write_file": self._write,
            "git_diff": self._diff,
            "run_tests": self._test,
        }

    @property
    def verified(self) -> bool:
        """Whether the last tests that ran here passed, on the very tree that is on the bench now."""
        return self._passed_tree is not None and self._passed_tree == self._editor.bench.tree.fingerprint

    def call(self, call: ToolCall) -> Observation:
        """The same as `request`, of a call that is a record already."""
        return self.request(call.tool, call.arguments)

    def request(self, tool: object, arguments: object) -> Observation:
        """What comes of one call. Raises only what the host's callables raise, and Damaged."""
        detached = detach(tool, arguments, self._exposed)
        said = Said(detached.problem, "rejected") if detached.problem else self._gated(detached)
        shown = bound(UNPRINTABLE.sub("\ufffd", said.text), max_bytes=self._max_bytes, max_lines=self._max_lines)
        return Observation(call=detached.record(), output=shown.text, truncated=shown.truncated, status=said.status)

    def _gated(self, detached: Detached) -> Said:
        """Policy, then preparation, then approval, then the effect; only preparation's own refusals are caught."""
        permission = PERMISSIONS[detached.tool]
        if reason := self._gate.closed(permission):
            return Said(reason, "denied")
        try:
            ready = self._ready[detached.tool](**detached.values())
        except Unfit as unfit:
            return _refused(unfit)
        proposed = ProposedCall(
            tool=detached.tool, permission=permission, arguments=detached.arguments, effect=ready.effect
        )
        if reason := self._gate.refusal(proposed):
            return Said(reason, "denied")
        return ready.do()

    def _read(self, path: str, start_line: int, end_line: int) -> Ready:
        def do() -> Said:
            try:
                return Said(self._editor.read(path, start_line, end_line).text)
            except Unfit as unfit:
                return _refused(unfit)

        return Ready("", do)

    def _edit(self, path: str, old: str, new: str) -> Ready:
        return self._changing(self._editor.prepare_edit(path, old, new), "edited")

    def _write(self, path: str, content: str) -> Ready:
        return self._changing(self._editor.prepare_write(path, content), "wrote")

    def _changing(self, change: Change, verb: str) -> Ready:
        def do() -> Said:
            try:
                done = self._editor.commit(change)
            except Unfit as unfit:
                return _refused(unfit)
            return Said(f"{verb} {done.path} from line {done.line} on")

        return Ready(change.effect.decode(errors="replace"), do)

    def _diff(self) -> Ready:
        return Ready("", lambda: Said(self._editor.bench.diff().decode(errors="replace") or "nothing has changed"))

    def _test(self) -> Ready:
        return Ready("", self._tested)

    def _tested(self) -> Said:
        state = self._editor.bench.state
        validation = self._validate(state.edits)
        if not validation.applied or validation.report is None or validation.tree != state.tree.fingerprint:
            raise Damaged("the grader did not test the working tree: its scope or its snapshot is another")
        self._passed_tree = validation.tree if validation.passed else None
        return Said(_told(validation, validation.report))


def _refused(unfit: Unfit) -> Said:
    return Said(str(unfit), "stale" if isinstance(unfit, Stale) else "rejected")


def _told(validation: Validation, report: TestReport) -> str:
    """The verdict first, then what did not pass, then what was printed: a bound cuts the end."""
    passed = sum(outcome == "passed" for outcome in report.outcomes.values())
    lines = [f"passed: {'yes' if validation.passed else 'no'}; {passed} of {len(report.outcomes)} tests"]
    lines += [] if validation.parses else ["a file that was changed is not Python any more"]
    lines += [] if report.ended == "exit" else [f"the test process ended by {report.ended}"]
    lines += [f"{node}: {outcome}" for node, outcome in report.outcomes.items() if outcome != "passed"]
    return "\n".join([*lines, report.shown]).rstrip("\n")
