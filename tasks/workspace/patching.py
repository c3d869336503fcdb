"""Patching: the gate that a unified diff passes, or does not.

Takes    a SourceTree, a unified diff, the globs that a case lets it touch, and what its caller allows beyond them.
Gives    an Applied, as exact-once edits do: the new tree, or the old one with a refusal for each file of the patch.
Refuses  as values: binary content; symbolic links, submodules, any mode but 100644 and 100755, undeclared mode
         changes; renames and copies; names that disagree, leave the tree or mean `.git`; protected files; paths outside
         of the scope; a file twice; hunks that do not fit exactly once; a patch that changes nothing; oversize; and
         whatever git, asked for a second opinion, applies differently.
Covered      all or nothing; bytes outside of the hunks stay identical; line numbers and counts are never believed.
Not covered  what the code does that a patch adds: that is what tests and sandboxes are for. Two paths that differ
             in case alone are two files here.
Source       DESIGN.md, "Programs"; facts, section 7.
"""

from collections.abc import Collection

from tasks.records.attempt import EditRefusal
from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.diff_headers import Malformed
from tasks.workspace.diffs import Section, read
from tasks.workspace.edits import Applied, OutOfScope, Unfit, admit, free, sized
from tasks.workspace.paths import MAX_PATH_BYTES
from tasks.workspace.placing import Script, kept, script
from tasks.workspace.second_opinion import Change, confirm

MAX_REASON_CHARS = 500
_MODES = ("100644", "100755")
_MODE_LINES = ("old mode", "new mode", "new file mode", "deleted file mode")
_KINDS = {"120000": "symbolic links", "160000": "submodules", "040000": "folders"}


def apply_diff(
    tree: SourceTree,
    text: str | bytes,
    scope: tuple[str, ...],
    *,
    allowed_control: Collection[str] = (),
    mode_changes: bool = False,
) -> Applied:
    """Apply a unified diff, or nothing of it.

    `allowed_control` holds globs of protected files that the caller admits; without `mode_changes` a file that exists
    keeps its mode. Raises Refusal where git is missing, SandboxTrouble where it cannot be run.
    """
    try:
        sections = read(text)
    except Malformed as malformed:
        return _refused(tree, [_refusal("", malformed)], inside=True)
    gate = _Gate(tree, scope, allowed_control, mode_changes=mode_changes)
    for section in sorted(sections, key=_creates):  # deletions first, as in git: a folder can become a file
        gate.pass_through(section)
    if gate.refusals:
        return _refused(tree, gate.refusals, inside=gate.inside)
    try:
        confirm(gate.changes)
    except Unfit as unfit:
        return _refused(tree, [_refusal("", unfit)], inside=True)
    changed = SourceTree(files=tuple(gate.files[path] for path in sorted(gate.files)))
    return Applied(tree=changed, refusals=(), in_scope=True, touched=tuple(sorted(gate.touched)))


def _refusal(path: str, reason: Exception) -> EditRefusal:
    """Bounded: names and modes are quoted from the patch."""
    return EditRefusal(path=path[:MAX_PATH_BYTES], reason=str(reason)[:MAX_REASON_CHARS])


def _refused(tree: SourceTree, refusals: list[EditRefusal], *, inside: bool) -> Applied:
    return Applied(tree=tree, refusals=tuple(refusals), in_scope=inside, touched=())


class _Gate:
    """The files as the patch would leave them so far, and what was refused."""

    def __init__(
        self, tree: SourceTree, scope: tuple[str, ...], allowed_control: Collection[str], *, mode_changes: bool
    ) -> None:
        self.files, self.scope, self.allowed_control = dict(tree.by_path), scope, allowed_control
        self.mode_changes, self.inside = mode_changes, True
        self.refusals, self.changes, self.touched = list[EditRefusal](), list[Change](), set[str]()

    def pass_through(self, section: Section) -> None:
        """Take one section into `files` and `changes`, or record why not."""
        try:
            _check_kind(section)
            admit(section.path, self.scope, self.allowed_control)
            if section.path in self.touched:
                raise Unfit("the patch names this file twice; put all of its hunks under one header")  # noqa: TRY301
            self.touched.add(section.path)
            self._change(section)
        except Unfit as unfit:
            self.inside = self.inside and not isinstance(unfit, OutOfScope)
            self.refusals.append(_refusal(section.path, unfit))

    def _change(self, section: Section) -> None:
        before = self.files.get(section.path)
        if _creates(section):
            free(self.files, section.path)
            after, lines = _created(section)
        elif before is None:
            raise Unfit("no such file in the tree; a new one has `--- /dev/null` and `+++ b/path`")
        else:
            after, lines = self._rewritten(before, section)
        self.files.pop(section.path, None)
        if after is not None:
            self.files[section.path] = after
        self.changes.append(Change(before, after, lines))

    def _rewritten(self, before: SourceFile, section: Section) -> tuple[SourceFile | None, Script]:
        lines = script(before.content, section.hunks)
        content = sized(kept(lines))
        if section.new is None or "deleted file mode" in section.extended:
            if content:
                raise Unfit("a deletion must remove every line of the file")
            return None, lines
        after = SourceFile(path=before.path, mode=self._mode(before, section), content=content)
        if after == before:
            raise Unfit("the patch changes nothing in this file")
        return after, lines

    def _mode(self, before: SourceFile, section: Section) -> str:
        old, new = (section.extended.get(key, before.mode) for key in ("old mode", "new mode"))
        if old != before.mode:
            raise Unfit(f"the patch takes the mode for {old}; it is {before.mode}")
        if new != old and not self.mode_changes:
            raise Unfit("a change of the file's mode is not accepted; leave out the mode lines")
        return new


def _creates(section: Section) -> bool:
    return section.old is None or "new file mode" in section.extended


def _created(section: Section) -> tuple[SourceFile | None, Script]:
    lines = [signed for hunk in section.hunks for signed in hunk.lines]
    if len(section.hunks) > 1 or any(sign != b"+" for sign, _ in lines):
        raise Unfit("a new file has one hunk, in which every line starts with `+`")
    mode = section.extended.get("new file mode", "100644")
    return SourceFile(path=section.path, mode=mode, content=sized(kept(lines))), lines


def _check_kind(section: Section) -> None:
    """Regular files alone, under one name, and one story about whether they exist."""
    told = section.extended
    if "binary" in told:
        raise Unfit("binary content is not accepted")
    if any(key.startswith(("rename", "copy")) or "similarity" in key for key in told):
        raise Unfit("renames and copies are not accepted; delete the one file and create the other")
    for mode in filter(None, (*map(told.get, _MODE_LINES), told.get("index", "").partition(" ")[2])):
        if mode not in _MODES:
            raise Unfit(f"{_KINDS.get(mode, f'the mode {mode!r}')} is not accepted; files have 100644 or 100755")
    if None not in {section.old, section.new} and section.old != section.new:
        raise Unfit(f"the patch gives this file two names, {section.old!r} and {section.new!r}")
    created, deleted = _creates(section), section.new is None or "deleted file mode" in told
    modes = {"old mode", "new mode"} & told.keys()
    unlike = (created and section.old is not None) or (deleted and section.new is not None)
    if (created and deleted) or len(modes) == 1 or (modes and (created or deleted)) or (unlike and section.hunks):
        raise Unfit("the header contradicts itself about whether the file exists before and after")
