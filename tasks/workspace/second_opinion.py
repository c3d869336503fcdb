"""Second opinion: git applies what the gate understood, and must come to the same files.

Takes    changes: a file before and after, and the script that leads from one to the other.
Gives    nothing: silence is agreement.
Refuses  (Unfit) where git applies nothing, something else, other modes, or touches other paths.
Covered      git sees no byte that was proposed: the patch is written anew, one hunk over the whole file with exact
             counts, so that there is nothing to guess. It works on a private copy of the touched files, in a folder
             made for it, without a repository, configuration, attributes of the user, or an environment of ours.
Not covered  trees on disk: a SourceTree is a value.
Source       DESIGN.md, "Programs"; facts, sections 7 and 8 (git runs what a tree's configuration says).
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.records.errors import Refusal, SandboxTrouble
from tasks.records.tree import SourceFile
from tasks.workspace.diff_headers import header, sides
from tasks.workspace.edits import Unfit
from tasks.workspace.placing import Script

LIMIT_SECONDS = 60
_RAW = ("diff", "--no-index", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "before", "after")


@dataclass(frozen=True)
class Change:
    """One file before and after (None where there is none), and every line of both, signed."""

    before: SourceFile | None
    after: SourceFile | None
    script: Script


def confirm(changes: Sequence[Change]) -> None:
    """Let git apply `changes` to copies of their files. Raises Unfit; SandboxTrouble if git cannot be asked."""
    try:
        with tempfile.TemporaryDirectory(prefix="proveout-diff-") as made:
            scratch = Path(made).resolve()
            for name in ("before", "after"):
                (scratch / name).mkdir()
                _write(scratch / name, (change.before for change in changes))
            _apply(scratch, b"".join(map(_patch, changes)))
            _compare(scratch, changes)
    except OSError as error:
        raise SandboxTrouble(f"scratch copy for a patch: {error.strerror}") from error


def _write(folder: Path, files: Iterable[SourceFile | None]) -> None:
    for file in filter(None, files):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(int(file.mode[-3:], 8))


def _patch(change: Change) -> bytes:
    """The change as git would print it, but for one hunk that spans the whole file."""
    head = header(change.before, change.after).encode()
    if all(sign == b" " for sign, _ in change.script):
        return head
    old, new = (sum(sign != other for sign, _ in change.script) for other in (b"+", b"-"))
    names = "--- {}\n+++ {}\n".format(*sides(change.before, change.after))
    spans = f"@@ -{min(old, 1)},{old} +{min(new, 1)},{new} @@\n"
    return head + (names + spans).encode() + b"".join(_line(*signed) for signed in change.script)


def _line(sign: bytes, text: bytes) -> bytes:
    return sign + text if text.endswith(b"\n") else sign + text + b"\n\\ No newline at end of file\n"


def _git(scratch: Path, cwd: Path, arguments: Sequence[str], patch: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("git")
    if program is None:
        raise Refusal("git: expected a program of this name on PATH, to check patches with; found none")
    environment = {
        "PATH": str(Path(program).parent),
        "LC_ALL": "C",
        "HOME": str(scratch),
        "XDG_CONFIG_HOME": str(scratch),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(scratch),  # no repository above is looked for
    }
    try:
        return subprocess.run(
            [program, *arguments], cwd=cwd, env=environment, input=patch, capture_output=True, check=False,
            timeout=LIMIT_SECONDS, umask=0o022,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise SandboxTrouble(f"git {arguments[0]} took longer than {LIMIT_SECONDS} s") from error


def _apply(scratch: Path, patch: bytes) -> None:
    done = _git(scratch, scratch / "after", ("apply", "--whitespace=nowarn", "-"), patch)
    if done.returncode:
        said = done.stderr.decode(errors="replace").replace(str(scratch), "").strip().splitlines() or [
            "no reason given"
        ]
        raise Unfit(f"git does not apply this patch: {said[0]}")


def _compare(scratch: Path, changes: Sequence[Change]) -> None:
    raw = _git(scratch, scratch, _RAW).stdout.decode(errors="surrogateescape").split("\0")
    found = {(raw[at].split(" ")[4], raw[at][1:14], raw[at + 1].split("/", 1)[1]) for at in range(0, len(raw) - 1, 2)}
    if found != {_declared(change) for change in changes}:
        raise Unfit("git comes to other paths, modes or kinds of change than the patch declares")
    for file in filter(None, (change.after for change in changes)):
        if (scratch / "after" / file.path).read_bytes() != file.content:
            raise Unfit(f"git comes to another content of {file.path!r} than the patch declares")


def _declared(change: Change) -> tuple[str, str, str]:
    """Status, modes and path, as `git diff --raw` words them."""
    before, after = (file.mode if file else "000000" for file in (change.before, change.after))
    status = "A" if change.before is None else "D" if change.after is None else "M"
    return status, f"{before} {after}", (change.after or change.before).path  # type: ignore[union-attr]
