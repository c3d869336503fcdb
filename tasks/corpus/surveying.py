"""Surveying: what lies in the folders of a corpus and is in no case, or leads out of one.

Takes    the folder of a corpus; for `unread`, the Corpus that was read from it too.
Gives    findings about names, links, files that reading leaves out, and sealed text in such files.
Refuses  nothing; a folder that is not there has nothing in it.
Covered      names that differ in case or Unicode form only; symbolic links, and hard links to sealed files; files that
             are no plain files or have two names; version history; sealed text and bytecode in files that are part of
             no case, and in the comments of a case.toml.
Not covered  bind mounts; text that is compressed or encrypted; a folder that is written to meanwhile.
Source   datasets/README.md, "What may never be in cases/".
"""

import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from tasks.corpus.finding import Finding, case_file, repository
from tasks.corpus.leaking import telling, visible_text
from tasks.corpus.similarity import squeezed
from tasks.corpus.splitting import folded
from tasks.records.case import Case, Corpus

HISTORY = {".git", ".hg", ".svn", ".bzr", ".jj"}
MAX_READ_BYTES = 10_000_000


def on_disk(root: Path) -> Iterator[Finding]:
    """What can be said before anything is read."""
    yield from _collisions(root)
    sealed = {_identity(path): path for path in _entries(root / "sealed") if not path.is_symlink()}
    for path in _entries(root / "cases"):
        yield from _link(root, path) if path.is_symlink() else _entry(root, path, sealed)


def unread(root: Path, corpus: Corpus) -> Iterator[Finding]:
    """Sealed text in files below cases/ that reading makes no part of a case: whoever copies the folder has them."""
    sealed = {seal.case_id: (seal.canary, *(line for _, line in telling(seal))) for seal in corpus.sealed}
    for case in corpus.cases:
        known = {repository(case.case_id, file.path) for file in case.repo.files}
        for path in _entries(root / "cases" / case.case_id):
            shown = _shown(root, path)
            if path.is_file() and not path.is_symlink() and shown not in known and path.name not in HISTORY:
                yield from _copied(corpus, sealed, case, path, shown)


def _collisions(root: Path) -> Iterator[Finding]:
    names = defaultdict(set)
    for folder in ("cases", "sealed"):
        if (root / folder).is_dir():
            for entry in (root / folder).iterdir():
                names[folded(entry.name)].add((entry.name, f"{folder}/{entry.name}"))
    for each in names.values():
        if len(spelled := sorted({name for name, _ in each})) > 1:
            detail = f"{' and '.join(map(ascii, spelled))} differ in case or Unicode form only"
            where = tuple(sorted(place for _, place in each))
            yield Finding(kind="id-collision", case_ids=tuple(spelled), detail=detail, where=where)


def _link(root: Path, path: Path) -> Iterator[Finding]:
    """A link that stays in its repository is left out by reading, and harms nobody."""
    shown, case_id = _shown(root, path), _case_of(root, path)
    try:
        target = path.resolve()
    except (OSError, RuntimeError):  # a link that leads to itself
        target = Path("/")
    sealed = (root / "sealed").resolve()
    if target.is_relative_to(sealed) or sealed.is_relative_to(target):
        detail = f"link {shown!r} leads to sealed material"
        yield Finding(kind="sealed-reachable", case_ids=(case_id,), detail=detail, where=(shown,))
    elif not target.is_relative_to((root / "cases").resolve() / case_id / "repo"):
        detail = f"link {shown!r} leads out of its case"
        yield Finding(kind="link-out-of-case", case_ids=(case_id,), detail=detail, where=(shown,))


def _entry(root: Path, path: Path, sealed: dict[tuple[int, int], Path]) -> Iterator[Finding]:
    shown, case_id = _shown(root, path), _case_of(root, path)
    found = path.lstat()
    if path.name in HISTORY:
        detail = f"{shown!r} is version history, which holds what the case became"
        yield Finding(kind="history-in-case", case_ids=(case_id,), detail=detail, where=(shown,))
    elif (same := sealed.get(_identity(path))) and not path.is_dir():
        detail = f"{shown!r} is the same file as {_shown(root, same)!r}"
        yield Finding(kind="sealed-reachable", case_ids=(case_id,), detail=detail, where=(shown, _shown(root, same)))
    elif not path.is_dir() and (not stat.S_ISREG(found.st_mode) or found.st_nlink > 1):
        what = "has two names on disk" if stat.S_ISREG(found.st_mode) else "is no plain file"
        detail = f"{shown!r} {what}: reading leaves it out of its case"
        yield Finding(kind="left-out-file", case_ids=(case_id,), detail=detail, where=(shown,))


def _copied(
    corpus: Corpus, sealed: Mapping[str, tuple[str, ...]], case: Case, path: Path, shown: str
) -> Iterator[Finding]:
    try:
        with path.open("rb") as opened:
            content = opened.read(MAX_READ_BYTES)
    except OSError as error:
        detail = f"{shown!r} cannot be read: {error.strerror}"
        yield Finding(kind="left-out-file", case_ids=(case.case_id,), detail=detail, where=(shown,))
        return
    text = squeezed(content.decode("utf-8", errors="replace"))
    # What a case.toml says to everybody has findings of its own.
    told = squeezed(visible_text(case)) if shown == case_file(case.case_id) else ""
    for case_id, lines in sealed.items():
        if found := next((line for line in lines if line in text and line not in told), None):
            detail = f"{shown!r} holds sealed text of {case_id!r}: {found!r}"
        elif path.suffix == ".pyc" and path.name.partition(".")[0] in _modules(corpus, case_id):
            detail = f"{shown!r} is bytecode of a sealed test of {case_id!r}"
        else:
            continue
        ids = tuple(dict.fromkeys((case_id, case.case_id)))
        yield Finding(kind="sealed-copy", case_ids=ids, detail=detail, where=(shown,))


def _modules(corpus: Corpus, case_id: str) -> set[str]:
    """Modules that only the seal has."""
    sealed, shown = (
        {Path(file.path).stem for file in tree.files if file.path.endswith(".py")}
        for tree in (corpus.seal(case_id).tests, corpus.case(case_id).repo)
    )
    return sealed - shown


def _entries(folder: Path) -> Iterator[Path]:
    """Everything below a folder, in path order; no link is followed, and no version history looked into."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        yield from (Path(parent, name) for name in sorted((*folders, *files)))
        folders[:] = [name for name in folders if name not in HISTORY]


def _identity(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino


def _shown(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _case_of(root: Path, path: Path) -> str:
    return path.relative_to(root / "cases").parts[0]
